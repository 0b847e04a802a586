/** The place of each student by the sum of the points; students with equal sums share a place. */
export function gradeReport(students) {
  const report = [];
  for (const student of students) {
    const sum = student.points.reduce((total, each) => total + each, 0);
    let place = 1;
    for (const other of students) {
      const otherSum = other.points.reduce((total, each) => total + each, 0);
      if (otherSum > sum) place++;
    }
    report.push(`${place}. ${student.name} (${sum})`);
  }
  return report;
}

export function inputs() {
  const students = Array.from({ length: 120 }, (_, i) => ({
    name: `s${i}`,
    points: Array.from({ length: 20 }, (_, k) => (i * 31 + k * 17) % 15),
  }));
  return [
    [students],
    [[]],
    [
      [
        { name: 'a', points: [1, 2] },
        { name: 'b', points: [3] },
      ],
    ],
  ];
}
