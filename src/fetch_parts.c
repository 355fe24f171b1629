#include "fetch_parts.h"

#include "fetch_split.h"
#include "memory.h"

struct fetch_part *fetch_parts_find(struct fetch_task *task,
				    const struct fetch_transfer *transfer)
{
	for (size_t i = 0; i < task->part_count; i++) {
		if (task->parts[i].transfer == transfer)
			return &task->parts[i];
	}
	return NULL;
}

void fetch_parts_drop(struct fetch_task *task, struct fetch_part *part)
{
	if (!part->transfer)
		return;
	fetch_transfer_end(part->transfer, task->engine->multi);
	free(part->transfer);
	part->transfer = NULL;
}

bool fetch_parts_join(struct fetch_task *task)
{
	struct fetch_part *parts = task->parts;

	while (task->part_count > 1 && !parts[0].transfer) {
		memmove(parts, parts + 1,
			(task->part_count - 1) * sizeof(*parts));
		task->part_count--;
		task->body.held = parts[0].transfer ? parts[0].transfer->at
						    : parts[0].end;
	}
	return task->part_count == 1 && !parts[0].transfer;
}

bool fetch_parts_merge(struct fetch_task *task, struct error *err)
{
	struct fetch_part *first = &task->parts[0];

	if (task->part_count < 2)
		return true;
	while (task->part_count > 1)
		fetch_parts_drop(task, &task->parts[--task->part_count]);
	task->whole = true;
	first->end = first->transfer ? first->transfer->want.end : 0;
	if (first->transfer)
		first->transfer->stop = first->end;
	return fetch_body_cut(&task->body, err);
}

bool fetch_parts_stop(struct fetch_task *task, struct error *err)
{
	bool cut = fetch_parts_merge(task, err);

	if (task->part_count)
		fetch_parts_drop(task, &task->parts[0]);
	task->part_count = 0;
	return cut;
}

uint64_t fetch_parts_received(const struct fetch_task *task)
{
	uint64_t received = task->body.held;

	for (size_t i = 1; i < task->part_count; i++) {
		const struct fetch_part *part = &task->parts[i];

		received += (part->transfer ? part->transfer->at : part->end) -
			    part->start;
	}
	return received;
}

bool fetch_parts_etag_is_strong(const char *etag)
{
	size_t length = strlen(etag);

	if (length < 2 || *etag != '"' || etag[length - 1] != '"')
		return false;
	for (size_t i = 1; i + 1 < length; i++) {
		unsigned char c = (unsigned char)etag[i];

		if (c <= ' ' || c == '"' || c >= 0x7f)
			return false;
	}
	return true;
}

void fetch_parts_ask(const struct fetch_task *task,
		     struct fetch_transfer *transfer, uint64_t offset,
		     uint64_t end)
{
	transfer->want.offset = offset;
	transfer->want.end = end;
	transfer->want.ranged = true;
	snprintf(transfer->want.etag, sizeof(transfer->want.etag), "%s",
		 task->job->etag);
}

/* False: that part is not one to split. */
static bool facts_of(const struct fetch_task *task, size_t index,
		     int64_t now_ms, struct fetch_split_facts *facts)
{
	const struct fetch_part *part = &task->parts[index];
	const struct fetch_transfer *transfer = part->transfer;

	if (task->whole || task->no_ranges || task->job->file < 0 ||
	    !task->total || !transfer || !transfer->began_ms ||
	    task->part_count == FETCH_PARTS_MAX ||
	    !fetch_parts_etag_is_strong(task->job->etag))
		return false;
	if (!transfer->response.accepts_ranges &&
	    transfer->response.status != 206)
		return false;
	*facts = (struct fetch_split_facts){
		.size = task->total,
		.at = transfer->at,
		.end = part->end ? part->end : task->total,
		.moved = transfer->moved,
		.mark = transfer->mark,
		.running_ms = now_ms - transfer->began_ms,
		.setup_ms = transfer->began_ms - transfer->started_ms,
	};
	return true;
}

int64_t fetch_parts_left_ms(const struct fetch_task *task, size_t index,
			    int64_t now_ms)
{
	struct fetch_split_facts facts;

	if (!facts_of(task, index, now_ms, &facts))
		return -1;
	return fetch_split_left_ms(&facts);
}

/* The body has a beginning already. */
static bool begin(struct fetch_transfer *transfer, struct error *err)
{
	(void)transfer;
	(void)err;
	return true;
}

static struct fetch_transfer *insert(struct fetch_task *task, size_t index,
				     uint64_t middle, uint64_t end)
{
	struct fetch_transfer *transfer = fetch_task_transfer(task);
	struct fetch_part *part = &task->parts[index];

	transfer->url = part->transfer->url;
	transfer->begin = begin;
	transfer->part = true;
	transfer->fresh = true;
	transfer->want.size = task->total;
	transfer->at = middle;
	fetch_parts_ask(task, transfer, middle, end);
	memmove(part + 2, part + 1,
		(task->part_count - index - 1) * sizeof(*part));
	part[1] = (struct fetch_part){middle, end, transfer};
	part->end = middle;
	part->transfer->stop = middle;
	task->part_count++;
	task->job->requests++;
	/* Should the digest be wrong, one connection tries again. */
	task->body.pieced = true;
	return transfer;
}

bool fetch_parts_split(struct fetch_task *task, size_t index, int64_t now_ms)
{
	struct fetch_split_facts facts;
	struct error ignored = ERROR_INIT;
	struct fetch_transfer *transfer;
	uint64_t middle;

	if (!facts_of(task, index, now_ms, &facts))
		return false;
	middle = fetch_split_at(&facts);
	if (!middle || !fetch_body_stretch(&task->body, task->total, &ignored))
		return false;
	transfer = insert(task, index, middle, facts.end);
	if (fetch_transfer_start(transfer, task->engine->multi,
				 &task->engine->reach, now_ms, &ignored))
		return true;
	/* A cut that fails now is found when the first part ends. */
	if (!fetch_parts_merge(task, &ignored))
		task->job->etag[0] = '\0';
	return false;
}
