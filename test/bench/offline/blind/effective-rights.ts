interface Role {
  name: string;
  inherits: string[];
  rights: string[];
}

interface User {
  login: string;
  roles: string[];
  denied: string[];
}

function rightsOf(name: string, roles: Role[], seen: string[]): string[] {
  if (seen.includes(name)) return [];
  const role = roles.find((each) => each.name === name);
  if (!role) return [];
  let rights = [...role.rights];
  for (const parent of role.inherits) {
    rights = rights.concat(rightsOf(parent, roles, [...seen, name]));
  }
  return rights.filter((right, index) => rights.indexOf(right) === index);
}

/** What each user may do, after inherited roles and refusals; users who may do nothing are listed apart. */
export function effectiveRights(users: User[], roles: Role[]): { rights: Record<string, string[]>; powerless: string[] } {
  const rights: Record<string, string[]> = {};
  const powerless: string[] = [];
  for (const user of users) {
    const own: string[] = [];
    for (const role of user.roles) {
      for (const right of rightsOf(role, roles, [])) {
        if (!own.includes(right) && !user.denied.includes(right)) {
          own.push(right);
        }
      }
    }
    if (own.length === 0) powerless.push(user.login);
    rights[user.login] = own.sort();
  }
  return { rights, powerless };
}

export function inputs() {
  return [
    [
      [
        { login: 'ann', roles: ['admin'], denied: [] },
        { login: 'bob', roles: ['editor', 'guest'], denied: ['delete'] },
        { login: 'cid', roles: ['unknown'], denied: [] },
      ],
      [
        { name: 'guest', inherits: [], rights: ['read'] },
        { name: 'editor', inherits: ['guest'], rights: ['write', 'delete'] },
        { name: 'admin', inherits: ['editor', 'guest'], rights: ['grant'] },
      ],
    ],
    [[{ login: 'eve', roles: ['a'], denied: ['x'] }], [{ name: 'a', inherits: ['a'], rights: ['x'] }]],
  ];
}
