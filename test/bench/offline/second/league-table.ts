/** Makes the table of a league from its matches: three points for a win, one for a draw, then the difference of goals. */
interface Match {
  home: string;
  away: string;
  score: [number, number] | null;
}

export function leagueTable(matches: Match[]): string[] {
  const teams = matches.flatMap((match) => [match.home, match.away]).filter((team, index, all) => all.indexOf(team) === index);

  teams.sort((a, b) => {
    if (points(b, matches) !== points(a, matches)) return points(b, matches) - points(a, matches);
    if (difference(b, matches) !== difference(a, matches)) return difference(b, matches) - difference(a, matches);
    return a < b ? -1 : 1;
  });

  return teams.map((team, index) => {
    const played = results(team, matches).length;
    const sign = difference(team, matches) > 0 ? '+' : '';
    return `${index + 1}. ${team} ${played} ${sign}${difference(team, matches)} ${points(team, matches)}`;
  });
}

/** The goals of the team and those of its opponent in each match that has been played. */
function results(team: string, matches: Match[]): { own: number; other: number }[] {
  return matches.flatMap(({ home, away, score }) => {
    if (score === null || home === away) return [];
    if (home === team) return [{ own: score[0], other: score[1] }];
    return away === team ? [{ own: score[1], other: score[0] }] : [];
  });
}

function points(team: string, matches: Match[]): number {
  const won = results(team, matches).filter(({ own, other }) => own > other).length;
  const drawn = results(team, matches).filter(({ own, other }) => own === other).length;
  return won * 3 + drawn;
}

function difference(team: string, matches: Match[]): number {
  return results(team, matches).reduce((sum, { own, other }) => sum + own - other, 0);
}

export function inputs(): [Match[]][] {
  const matches: Match[] = [
    { home: 'Lions', away: 'Bears', score: [2, 1] },
    { home: 'Bears', away: 'Hawks', score: [0, 0] },
    { home: 'Hawks', away: 'Lions', score: [3, 1] },
    { home: 'Lions', away: 'Hawks', score: null },
  ];
  return [[matches], [matches.slice(0, 1)], [[]]];
}
