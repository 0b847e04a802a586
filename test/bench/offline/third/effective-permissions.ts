export type Effect = 'allow' | 'deny';

export interface Rule {
  role: string;
  resource: string;
  action: string;
  effect: Effect;
}

export interface User {
  name: string;
  roles: string[];
}

export type RoleParents = Record<string, string[]>;

/** All roles of a user, inherited ones included, the general ones first. */
function expandRoles(roles: string[], parents: RoleParents, seen: string[] = []): string[] {
  return roles.reduce<string[]>((found, role) => {
    if (found.includes(role)) return found;
    const withParents = expandRoles(parents[role] ?? [], parents, [...found, role]);
    return [...withParents.filter((r) => r !== role), role];
  }, seen);
}

/** A denial always wins; otherwise the first allowing rule is good enough. */
function applyRules(rules: Rule[], roles: string[]): Record<string, Effect> {
  return rules
    .filter((rule) => roles.includes(rule.role))
    .reduce<Record<string, Effect>>((granted, rule) => {
      const key = `${rule.resource}:${rule.action}`;
      if (granted[key] === 'deny') return granted;
      return { ...granted, [key]: rule.effect };
    }, {});
}

/**
 * Works out what each user may do. Rules are inherited from the parents of a
 * user's roles; if one rule allows something and another denies it, it is
 * denied.
 */
export function effectivePermissions(
  users: User[],
  rules: Rule[],
  parents: RoleParents,
): { user: string; roles: string[]; allowed: string[]; denied: string[] }[] {
  return users.map((user) => {
    const roles = expandRoles(user.roles, parents);
    const granted = applyRules(rules, roles);
    const keys = Object.keys(granted).sort();
    return {
      user: user.name,
      roles,
      allowed: keys.filter((key) => granted[key] === 'allow'),
      denied: keys.filter((key) => granted[key] === 'deny'),
    };
  });
}

export function inputs(): [User[], Rule[], RoleParents][] {
  let state = 7;
  const draw = (count: number) => {
    state = (state * 48271) % 2147483647;
    return state % count;
  };
  const some = (most: number, make: () => string) => [...new Set(Array.from({ length: 1 + draw(most) }, make))];
  const call = (users: number, rules: number, roles: number): [User[], Rule[], RoleParents] => [
    Array.from({ length: users }, (_, at) => ({ name: `user${at}`, roles: some(3, () => `role${draw(roles)}`) })),
    Array.from({ length: rules }, () => ({
      role: `role${draw(roles)}`,
      resource: `${['doc', 'repo', 'team', 'bill'][draw(4)]}${draw(roles + roles / 2)}`,
      action: ['read', 'write', 'delete', 'share'][draw(4)] ?? 'read',
      effect: draw(10) === 0 ? 'deny' : 'allow',
    })),
    Object.fromEntries(Array.from({ length: roles - 1 }, (_, at) => [`role${at + 1}`, some(2, () => `role${draw(at + 1)}`)])),
  ];
  return [call(1, 2, 2), call(5, 30, 6), call(20, 150, 12), call(30, 560, 20)];
}
