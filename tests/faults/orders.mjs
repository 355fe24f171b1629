// What can befall a call: it fails, it does half of what it should, a signal
// arrives, or the program dies there.

// The errnos that a call can fail with; half: it does half of what it should.
const failures = [
  [/^(open|openat|openat2)/, { looks: 'EACCES EMFILE EIO EINTR', changes: 'ENOSPC EACCES EMFILE EIO EINTR EDQUOT' }],
  [/^(read|pread|pread64)$/, { looks: 'EIO EINTR half' }],
  [/^(write|pwrite64|pwrite|copy_file_range)$/, { changes: 'ENOSPC EIO EINTR EDQUOT half ENOSPC+ EIO+' }],
  [/^(rename|link|mkdir|symlink)/, { changes: 'ENOSPC EIO EACCES EDQUOT ENOSPC+' }],
  [/^(unlink|rmdir)/, { changes: 'EIO EACCES' }],
  [/^ftruncate/, { changes: 'ENOSPC EIO EINTR' }],
  [/^(fsync|syncfs)$/, { changes: 'EIO ENOSPC EDQUOT' }],
  [/^close$/, { looks: 'EINTR', changes: 'EIO ENOSPC EINTR EDQUOT' }],
  [/^(l|f)?stat|^access$|^realpath$|^readlink|^getcwd$/, { looks: 'EACCES EIO' }],
  [/dir(64)?$/, { looks: 'EIO EMFILE' }],
  [/^fopen/, { looks: 'EMFILE' }],
  [/^flock$/, { looks: 'EINTR EIO ENOLCK' }],
  [/^(fchmod|utimensat)$/, { looks: 'EIO EPERM' }],
  [/^getrandom$/, { looks: 'EINTR ENOSYS' }],
  [/^socket(pair)?$/, { looks: 'EMFILE' }],
  [/^fork$/, { looks: 'EAGAIN ENOMEM' }],
  [/^waitpid$/, { looks: 'EINTR' }],
  [/^connect$/, { looks: 'ECONNREFUSED ENETUNREACH' }],
  [/^recv/, { looks: 'ECONNRESET EINTR' }],
  [/^send/, { looks: 'EPIPE EINTR' }],
  [/^syscall$/, { looks: 'ENOSYS EPERM' }],
  [/^ioctl$/, { looks: 'EOPNOTSUPP EIO' }],
];

// Of the errnos of a call that changes nothing one is taken, another at the
// next such call: their effects are the same.
function errnosOf(call, index) {
  const [, lists] = failures.find(([pattern]) => pattern.test(call.name)) ?? [null, {}];
  const all = ((call.changes && lists.changes) || lists.looks || '').split(' ').filter(Boolean);
  if (call.changes) return all;
  const several = all.filter((errno) => errno.startsWith('E') && errno !== 'EINTR');
  return all.filter((errno) => !several.includes(errno) || errno === several[index % several.length]);
}

// `index`: of the call in its run.
export function orders(call, index) {
  const found = [{ mode: 'killAll' }];
  if (call.process) found.push({ mode: 'killOne' });
  if (!call.process && index % 4 === 0) found.push({ mode: 'signal', errno: ['SIGINT', 'SIGTERM', 'SIGHUP'][(index / 4) % 3] });
  for (const errno of errnosOf(call, index)) {
    if (errno === 'half') found.push({ mode: 'half' });
    else if (errno.endsWith('+')) found.push({ mode: 'failOn', errno: errno.slice(0, -1) });
    else found.push({ mode: 'fail', errno });
  }
  return found.map((order) => ({ ...order, call }));
}
