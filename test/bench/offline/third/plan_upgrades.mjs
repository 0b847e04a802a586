const VERSION = '^v?(\\d+)\\.(\\d+)(?:\\.(\\d+))?(?:-([0-9A-Za-z.-]+))?(?:\\+.*)?$';

function parseVersion(text) {
  const match = new RegExp(VERSION).exec(text.trim());
  if (!match) return null;
  return {
    numbers: [Number(match[1]), Number(match[2]), Number(match[3] || 0)],
    pre: match[4] ? match[4].split('.') : [],
  };
}

function comparePre(a, b) {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    if (a[i] === undefined) return -1;
    if (b[i] === undefined) return 1;
    if (a[i] === b[i]) continue;
    const numericA = /^\d+$/.test(a[i]);
    const numericB = /^\d+$/.test(b[i]);
    if (numericA && numericB) return Number(a[i]) - Number(b[i]);
    if (numericA !== numericB) return numericA ? -1 : 1;
    return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

function compareVersions(left, right) {
  const a = parseVersion(left);
  const b = parseVersion(right);
  for (let i = 0; i < 3; i++) {
    if (a.numbers[i] !== b.numbers[i]) return a.numbers[i] - b.numbers[i];
  }
  return comparePre(a.pre, b.pre);
}

/**
 * Returns for each installed package which version to upgrade to. "minor" stays
 * within the same major version, "latest" is the newest release of all.
 * Prereleases are only considered when `allowPre` is set.
 *
 * @param {Object<string, string>} installed  package name -> version
 * @param {Object<string, string[]>} available  package name -> versions, in any order
 */
export function planUpgrades(installed, available, allowPre = false) {
  const plan = [];
  for (const name of Object.keys(installed).sort()) {
    const current = installed[name];
    if (!parseVersion(current)) {
      plan.push({ name, current, error: 'unreadable version' });
      continue;
    }
    const newer = (available[name] || [])
      .filter((v) => parseVersion(v) !== null)
      .filter((v) => allowPre || parseVersion(v).pre.length === 0)
      .sort(compareVersions)
      .filter((v) => compareVersions(v, current) > 0);
    const major = parseVersion(current).numbers[0];
    const minor = newer.filter((v) => parseVersion(v).numbers[0] === major).pop() ?? null;
    plan.push({ name, current, minor, latest: newer[newer.length - 1] ?? null, behind: newer.length });
  }
  return plan;
}

export function inputs() {
  let state = 7;
  const draw = (count) => {
    state = (state * 48271) % 2147483647;
    return state % count;
  };
  const version = () => {
    const pre = draw(6) === 0 ? `-${['alpha', 'beta', 'rc'][draw(3)]}.${1 + draw(12)}` : '';
    return `${draw(25) === 0 ? 'v' : ''}${draw(6)}.${draw(21)}${draw(30) === 0 ? '' : `.${draw(31)}`}${pre}`;
  };
  const call = (packages, most) => {
    const names = Array.from({ length: packages }, (_, at) => `${['core', 'net', 'lib', 'ui'][draw(4)]}-tools${at}`);
    return [
      Object.fromEntries(names.map((name) => [name, draw(30) === 0 ? 'latest' : `${draw(5)}.${draw(21)}.${draw(10)}`])),
      Object.fromEntries(names.map((name) => [name, Array.from({ length: 3 + draw(most) }, version)])),
    ];
  };
  return [
    [{ 'left-pad': '1.0.0' }, { 'left-pad': ['1.0.1', '1.2.0', '2.0.0-rc.1', '0.9'] }],
    call(8, 8),
    [...call(25, 38), true],
    [...call(40, 80), true],
  ];
}
