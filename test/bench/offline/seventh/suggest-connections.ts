/** Suggests new contacts to every member of a network by shared friends, shared interests and city. */

type Person = { name: string; city?: string; interests?: string[] };
type Pair = [string, string];
type Suggestion = { name: string; score: number; shared: string[] };
type Suggestions = { person: string; friends: number; suggestions: Suggestion[] };

function friendsOf(name: string, friendships: Pair[]): string[] {
  const friends: string[] = [];
  for (const [first, second] of friendships) {
    const other = first === name ? second : second === name ? first : null;
    if (other !== null && !friends.includes(other)) {
      friends.push(other);
    }
  }
  return friends;
}

function areBlocked(first: string, second: string, blocked: Pair[]): boolean {
  return blocked.some(([a, b]) => (a === first && b === second) || (a === second && b === first));
}

function interestOverlap(first: Person, second: Person): number {
  const left = (first.interests ?? []).map((interest) => interest.toLowerCase());
  const right = (second.interests ?? []).map((interest) => interest.toLowerCase());
  const all = new Set([...left, ...right]);
  const shared = [...all].filter((interest) => left.includes(interest) && right.includes(interest));
  return all.size === 0 ? 0 : shared.length / all.size;
}

function rate(person: Person, candidate: Person, friendships: Pair[]): Suggestion {
  const own = friendsOf(person.name, friendships);
  const shared = friendsOf(candidate.name, friendships).filter((friend) => own.includes(friend));
  let score = interestOverlap(person, candidate) * 2;
  for (const friend of shared) {
    score += 1 / Math.log2(1 + friendsOf(friend, friendships).length);
  }
  if (person.city !== undefined && person.city === candidate.city) {
    score += 0.5;
  }
  return { name: candidate.name, score: Math.round(score * 100) / 100, shared: shared.sort() };
}

export function suggestConnections(people: Person[], friendships: Pair[], limit = 3, blocked: Pair[] = []): Suggestions[] {
  const names = people.map((person) => person.name);
  for (const name of friendships.flat()) {
    if (!names.includes(name)) {
      throw new Error(`${name} is not a member`);
    }
  }
  return people.map((person) => {
    const friends = friendsOf(person.name, friendships);
    const suggestions = people
      .filter((other) => other.name !== person.name && !friends.includes(other.name))
      .filter((other) => !areBlocked(person.name, other.name, blocked))
      .map((other) => rate(person, other, friendships))
      .filter((suggestion) => suggestion.score > 0)
      .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
      .slice(0, limit);
    return { person: person.name, friends: friends.length, suggestions };
  });
}

export function inputs(): [Person[], Pair[], number, Pair[]][] {
  let state = 113;
  const pick = (size: number): number => {
    state = (state * 16807) % 2147483647;
    return state % size;
  };
  const interests = ['Chess', 'Music', 'Hiking', 'Cooking', 'Cycling', 'Film', 'Books'];
  const one = (size: number, pairs: number): [Person[], Pair[], number, Pair[]] => {
    const people = Array.from({ length: size }, (_, index) => {
      const person = { name: `member${index}`, interests: interests.filter(() => pick(3) === 0) };
      return pick(4) === 0 ? person : { ...person, city: ['Oslo', 'Graz', 'Lyon', 'Turin'][pick(4)] ?? 'Oslo' };
    });
    const pair = (): Pair => {
      const first = pick(size);
      return [`member${first}`, `member${(first + 1 + pick(size - 1)) % size}`];
    };
    return [people, Array.from({ length: pairs }, pair), 3, Array.from({ length: Math.floor(size / 8) }, pair)];
  };
  return [one(2, 1), one(8, 10), one(30, 60), one(70, 190)];
}
