// The part of JSON Schema draft-07 that our schema uses. Returns the places
// that do not fit, as texts; none: the document is valid.

const types = {
  object: (v) => v !== null && typeof v === 'object' && !Array.isArray(v),
  array: Array.isArray,
  string: (v) => typeof v === 'string',
  integer: Number.isInteger,
  boolean: (v) => typeof v === 'boolean',
};

const length = (text) => [...text].length;
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// What each keyword asks of a value; ones that a value of another type does
// not break hold for it.
const keywords = {
  type: (v, type) => types[type](v),
  const: (v, expected) => same(v, expected),
  enum: (v, allowed) => allowed.some((one) => same(v, one)),
  pattern: (v, re) => !types.string(v) || new RegExp(re, 'u').test(v),
  maxLength: (v, max) => !types.string(v) || length(v) <= max,
  minimum: (v, min) => typeof v !== 'number' || v >= min,
  maximum: (v, max) => typeof v !== 'number' || v <= max,
  required: (v, keys) => !types.object(v) || keys.every((k) => Object.hasOwn(v, k)),
  dependencies: (v, all) => !types.object(v) || Object.entries(all).every(([k, keys]) => !Object.hasOwn(v, k) || keys.every((one) => Object.hasOwn(v, one))),
  minProperties: (v, min) => !types.object(v) || Object.keys(v).length >= min,
  maxProperties: (v, max) => !types.object(v) || Object.keys(v).length <= max,
  minItems: (v, min) => !types.array(v) || v.length >= min,
  maxItems: (v, max) => !types.array(v) || v.length <= max,
  uniqueItems: (v) =>
    !types.array(v) || new Set(v.map((one) => JSON.stringify(one))).size === v.length,
};

const annotations = ['$schema', '$id', 'title', 'description', 'definitions'];
const applied = [
  '$ref', 'allOf', 'oneOf', 'not', 'if', 'then', 'else',
  'properties', 'additionalProperties', 'propertyNames', 'items',
];

export function validate(schema, value, root = schema, place = '$') {
  if (schema === true) return [];
  if (schema === false) return [`${place}: nothing is allowed here`];
  // In draft-07 a $ref stands alone: what is beside it does not count.
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace('#/definitions/', '');
    return validate(root.definitions[name], value, root, place);
  }
  const fits = (sub, v = value) => !validate(sub, v, root, place).length;
  const faults = [];
  for (const [keyword, argument] of Object.entries(schema)) {
    if (annotations.includes(keyword) || applied.includes(keyword)) continue;
    if (!keywords[keyword]) throw new Error(`unknown keyword ${keyword}`);
    if (!keywords[keyword](value, argument)) faults.push(`${place}: ${keyword}`);
  }
  for (const sub of schema.allOf ?? []) faults.push(...validate(sub, value, root, place));
  if (schema.oneOf && schema.oneOf.filter((sub) => fits(sub)).length !== 1)
    faults.push(`${place}: oneOf`);
  if (schema.not && fits(schema.not)) faults.push(`${place}: not`);
  if (schema.if !== undefined) {
    const branch = fits(schema.if) ? schema.then : schema.else;
    if (branch !== undefined) faults.push(...validate(branch, value, root, place));
  }
  if (types.object(value)) {
    for (const [key, member] of Object.entries(value)) {
      const at = `${place}.${key}`;
      if (schema.propertyNames !== undefined && !fits(schema.propertyNames, key))
        faults.push(`${at}: propertyNames`);
      const own = schema.properties && Object.hasOwn(schema.properties, key);
      const sub = own ? schema.properties[key] : schema.additionalProperties;
      if (sub !== undefined) faults.push(...validate(sub, member, root, at));
    }
  }
  if (types.array(value) && schema.items !== undefined)
    value.forEach((item, i) => faults.push(...validate(schema.items, item, root, `${place}[${i}]`)));
  return faults;
}
