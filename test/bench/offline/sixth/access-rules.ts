/** Decides on requests by the roles of the users. */

type Role = { name: string; extends?: string[]; allow?: string[]; deny?: string[] };
type User = { name: string; roles: string[]; blocked?: boolean };
type Request = { user: string; action: string; resource: string; owner?: string };
type Decision = { allowed: boolean; reason: string };
type Rule = { role: string; pattern: string; kind: 'allow' | 'deny' };

/** A decision per request, and the rules that never decided anything. */
export function accessRules(roles: Role[], users: User[], requests: Request[]) {
  const used: string[] = [];
  const decisions: Decision[] = requests.map((request) => {
    const user = users.find((candidate) => candidate.name === request.user);
    if (user === undefined) return { allowed: false, reason: 'unknown user' };
    if (user.blocked) return { allowed: false, reason: 'blocked' };
    const rules = user.roles.flatMap((role) => rulesOf(roles, role, []));
    const fitting = rules.filter((rule) => fits(rule.pattern, request, user));
    if (fitting.length === 0) return { allowed: false, reason: 'no rule' };
    fitting.sort((a, b) => weight(b) - weight(a) || a.role.localeCompare(b.role));
    const rule = fitting[0] as Rule;
    const text = `${rule.role}: ${rule.kind} ${rule.pattern}`;
    if (!used.includes(text)) used.push(text);
    return { allowed: rule.kind === 'allow', reason: text };
  });
  const unused: string[] = [];
  for (const role of roles) {
    for (const rule of ownRules(role)) {
      const text = `${rule.role}: ${rule.kind} ${rule.pattern}`;
      if (!used.includes(text) && !unused.includes(text)) unused.push(text);
    }
  }
  const refused = decisions.filter((decision) => !decision.allowed).length;
  return { decisions, refused, unused: unused.sort() };
}

const ownRules = (role: Role): Rule[] => [
  ...(role.allow ?? []).map((pattern): Rule => ({ role: role.name, pattern, kind: 'allow' })),
  ...(role.deny ?? []).map((pattern): Rule => ({ role: role.name, pattern, kind: 'deny' })),
];

/** The rules of a role and of all that it extends. */
function rulesOf(roles: Role[], name: string, trail: string[]): Rule[] {
  if (trail.includes(name)) throw new Error(`circular roles: ${[...trail, name].join(' > ')}`);
  const role = roles.find((candidate) => candidate.name === name);
  if (role === undefined) throw new Error(`unknown role ${name}`);
  return [...ownRules(role), ...(role.extends ?? []).flatMap((parent) => rulesOf(roles, parent, [...trail, name]))];
}

/** Patterns look like "edit:docs/*"; two stars cross slashes, and "@own" demands that the user is the owner. */
function fits(pattern: string, request: Request, user: User): boolean {
  let rest = pattern;
  if (rest.endsWith('@own')) {
    if (request.owner !== user.name) return false;
    rest = rest.slice(0, -'@own'.length);
  }
  const source = rest
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*/g, '\0')
    .replace(/\*/g, '[^/:]*')
    .replace(/\0/g, '.*');
  return new RegExp(`^${source}$`).test(`${request.action}:${request.resource}`);
}

/** The more exact pattern wins, and a refusal wins over a permission that is as exact. */
function weight(rule: Rule): number {
  const exact = rule.pattern.replace(/\*/g, '').length;
  return exact * 2 + (rule.kind === 'deny' ? 1 : 0);
}

export function inputs() {
  let state = 41;
  const roll = (limit: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % limit;
  };
  const actions = ['read', 'edit', 'delete', '*'];
  const folders = ['docs', 'images', 'plans', 'drafts', 'invoices'];
  const pattern = (): string => {
    const end = ['/*', '/**', '/a1', '/**@own'][roll(4)];
    return `${actions[roll(4)]}:${folders[roll(5)]}${end}`;
  };
  const call = (roleCount: number, userCount: number, requestCount: number) => {
    const roles: Role[] = [];
    for (let index = 0; index < roleCount; index++) {
      const role: Role = { name: `role${index}`, allow: Array.from({ length: 1 + roll(4) }, pattern) };
      if (roll(2) === 0) role.deny = [pattern()];
      if (index > 2) role.extends = [`role${roll(index)}`];
      roles.push(role);
    }
    const user = (index: number): User => ({ name: `u${index}`, roles: [`role${roll(roleCount)}`], blocked: roll(20) === 0 });
    const users = Array.from({ length: userCount }, (_, index) => user(index));
    const requests = Array.from({ length: requestCount }, (): Request => {
      const resource = `${folders[roll(5)]}/${['a1', 'b2', 'x/y'][roll(3)] ?? ''}`;
      return { user: `u${roll(userCount + 1)}`, action: actions[roll(3)] ?? '', resource, owner: `u${roll(userCount)}` };
    });
    return [roles, users, requests];
  };
  return [call(2, 1, 2), call(5, 6, 30), call(15, 60, 300), call(40, 250, 1300)];
}
