interface Course {
  id: string;
  credits?: number;
  needs?: string[];
  springOnly?: boolean;
}

interface Term {
  name: string;
  courses: string[];
  credits: number;
}

interface Plan {
  terms: Term[];
  blocked: { id: string; missing: string[] }[];
}

/** Spreads the courses of a degree over terms; what leads to the most other courses comes first. */
export function courseOrder(courses: Course[], maxCredits: number, passed: string[] = []): Plan {
  const done = [...passed];
  const terms: Term[] = [];
  let open = courses.filter((course) => !done.includes(course.id));
  let idle = 0;

  // Two terms without a course mean that nothing will open up any more.
  while (open.length > 0 && idle < 2) {
    const spring = terms.length % 2 === 1;
    const term: Term = { name: `${spring ? 'Spring' : 'Autumn'} ${Math.floor(terms.length / 2) + 1}`, courses: [], credits: 0 };
    const ready = open
      .filter((course) => missingFor(course, done).length === 0 && (spring || !course.springOnly))
      .sort((a, b) => leadsTo(courses, b.id).length - leadsTo(courses, a.id).length || a.id.localeCompare(b.id));
    for (const course of ready) {
      const credits = course.credits ?? 5;
      if (term.credits + credits > maxCredits) continue;
      term.courses.push(course.id);
      term.credits += credits;
    }
    done.push(...term.courses);
    open = open.filter((course) => !term.courses.includes(course.id));
    idle = term.courses.length === 0 ? idle + 1 : 0;
    terms.push(term);
  }

  while (terms.length > 0 && terms[terms.length - 1]?.courses.length === 0) terms.pop();
  return { terms, blocked: open.map((course) => ({ id: course.id, missing: missingFor(course, done) })) };
}

function missingFor(course: Course, done: string[]): string[] {
  return (course.needs ?? []).filter((id) => !done.includes(id));
}

/** All courses that need this one, directly or through others. */
function leadsTo(courses: Course[], id: string): string[] {
  const found: string[] = [];
  const waiting = [id];
  while (waiting.length > 0) {
    const current = waiting.shift();
    if (current === undefined) break;
    for (const course of courses) {
      if (course.needs?.includes(current) && !found.includes(course.id)) {
        found.push(course.id);
        waiting.push(course.id);
      }
    }
  }
  return found;
}

export function inputs(): unknown[][] {
  let seed = 1088;
  const below = (limit: number): number => {
    seed = (seed * 1664525 + 1013904223) % 4294967296;
    return Math.floor(seed / 65536) % limit;
  };
  const sizes: [number, number][] = [
    [1, 10],
    [8, 12],
    [25, 20],
    [75, 30],
  ];
  return sizes.map(([count, maxCredits]) => {
    const courses = Array.from({ length: count }, (_, index) => {
      const course: Course = { id: `C${100 + ((index * 37) % 101)}` };
      if (below(4)) course.credits = [5, 5, 10, 2.5][below(4)] ?? 5;
      if (index > 0 && below(4)) {
        course.needs = Array.from({ length: 1 + below(3) }, () => `C${100 + ((below(index) * 37) % 101)}`);
      }
      if (below(6) === 0) course.springOnly = true;
      return course;
    });
    const [, , , fourth] = courses;
    if (count > 20 && fourth !== undefined) fourth.needs = ['C999'];
    return below(2) ? [courses, maxCredits] : [courses, maxCredits, ['C100', 'C137']];
  });
}
