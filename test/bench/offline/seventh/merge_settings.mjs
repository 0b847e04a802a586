/** Merges two changed copies of a settings object against their common base and lists the conflicts. */

function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isKeyedList(value) {
  return Array.isArray(value) && value.every((item) => isRecord(item) && typeof item.id === 'string');
}

function same(left, right) {
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => same(item, right[index]));
  }
  if (isRecord(left) && isRecord(right)) {
    const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
    return keys.every((key) => same(left[key], right[key]));
  }
  return left === right;
}

function mergeRecords(base, ours, theirs, path, context) {
  const merged = {};
  const keys = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
  for (const key of keys) {
    const value = mergeValues(base[key], ours[key], theirs[key], [...path, key], context);
    if (value !== undefined) {
      merged[key] = value;
    }
  }
  return merged;
}

function mergeLists(base, ours, theirs, path, context) {
  const ids = ours.map((item) => item.id);
  for (const item of theirs) {
    if (!ids.includes(item.id)) {
      ids.push(item.id);
    }
  }
  const byId = (list, id) => list.find((item) => item.id === id);
  return ids
    .map((id) => mergeValues(byId(base, id), byId(ours, id), byId(theirs, id), [...path, id], context))
    .filter((item) => item !== undefined);
}

function mergeValues(base, ours, theirs, path, context) {
  if (same(ours, theirs) || same(base, theirs)) {
    return ours;
  }
  if (same(base, ours)) {
    return theirs;
  }
  if (isRecord(ours) && isRecord(theirs)) {
    return mergeRecords(isRecord(base) ? base : {}, ours, theirs, path, context);
  }
  if (isKeyedList(ours) && isKeyedList(theirs)) {
    return mergeLists(isKeyedList(base) ? base : [], ours, theirs, path, context);
  }
  context.conflicts.push({
    path: path.join('.'),
    base: base ?? null,
    ours: ours ?? null,
    theirs: theirs ?? null,
  });
  return context.prefer === 'theirs' ? theirs : ours;
}

export function mergeSettings(base, ours, theirs, prefer = 'ours') {
  if (![base, ours, theirs].every(isRecord)) {
    throw new TypeError('Settings must be objects');
  }
  if (prefer !== 'ours' && prefer !== 'theirs') {
    throw new RangeError(`Unknown preference: ${prefer}`);
  }
  const context = { prefer, conflicts: [] };
  const merged = mergeValues(base, ours, theirs, [], context);
  return { merged, conflicts: context.conflicts };
}

export function inputs() {
  let state = 101;
  const pick = (count) => {
    state = (state * 16807) % 2147483647;
    return state % count;
  };
  const leaf = () => [pick(5), `value ${pick(6)}`, pick(2) === 0, null, [pick(3), pick(3)]][pick(5)];
  const tree = (depth, width) => {
    const node = {};
    for (let index = 0; index < width; index += 1) {
      node[`key${index}`] = depth > 1 ? tree(depth - 1, width) : leaf();
    }
    return node;
  };
  const change = (value) => {
    if (typeof value !== 'object' || value === null) {
      return pick(12) === 0 ? leaf() : value;
    }
    if (Array.isArray(value)) {
      return value.filter(() => pick(25) > 0).map(change);
    }
    const kept = Object.entries(value).filter(([key]) => key === 'id' || pick(40) > 0);
    return Object.fromEntries(kept.map(([key, item]) => [key, key === 'id' ? item : change(item)]));
  };
  const one = (depth, width, listed, prefer) => {
    const rules = Array.from({ length: listed }, (_, index) => ({ id: `rule${index}`, ...tree(1, 4) }));
    const base = { ...tree(depth, width), rules };
    return [base, change(base), change(base), prefer];
  };
  return [one(1, 2, 1, 'ours'), one(2, 3, 6, 'theirs'), one(4, 4, 60, 'ours'), one(5, 5, 420, 'theirs')];
}
