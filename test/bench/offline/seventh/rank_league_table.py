"""Ranks the teams of a league by points, then by the matches among tied teams, then by goals."""


def parse_score(score):
    home, away = score.split(':')
    return int(home), int(away)


def standing(team, matches):
    row = {'team': team, 'played': 0, 'won': 0, 'drawn': 0, 'lost': 0, 'scored': 0, 'conceded': 0}
    for match in matches:
        if match.get('score') is None or team not in (match['home'], match['away']):
            continue
        own, other = parse_score(match['score'])
        if team == match['away']:
            own, other = other, own
        row['played'] += 1
        row['scored'] += own
        row['conceded'] += other
        if own > other:
            row['won'] += 1
        elif own == other:
            row['drawn'] += 1
        else:
            row['lost'] += 1
    row['difference'] = row['scored'] - row['conceded']
    row['points'] = row['won'] * 3 + row['drawn']
    return row


def direct_result(team, tied, matches):
    among = [m for m in matches if m['home'] in tied and m['away'] in tied]
    row = standing(team, among)
    return row['points'], row['difference'], row['scored']


def recent_form(team, matches, count=5):
    letters = []
    for match in matches:
        if team in (match['home'], match['away']):
            row = standing(team, [match])
            if row['played'] == 1:
                letters.append('W' if row['won'] else 'D' if row['drawn'] else 'L')
    return ''.join(letters[-count:])


def rank_league_table(matches, deductions=None):
    teams = []
    for match in matches:
        if match['home'] == match['away']:
            raise ValueError(match['home'] + ' cannot play against itself')
        for team in (match['home'], match['away']):
            if team not in teams:
                teams.append(team)
    rows = [standing(team, matches) for team in teams]
    for row in rows:
        row['points'] -= (deductions or {}).get(row['team'], 0)
        row['form'] = recent_form(row['team'], matches)

    def order(row):
        tied = [other['team'] for other in rows if other['points'] == row['points']]
        points, difference, scored = direct_result(row['team'], tied, matches)
        return (-row['points'], -points, -difference, -scored,
                -row['difference'], -row['scored'], row['team'])

    table = sorted(rows, key=order)
    for position, row in enumerate(table):
        row['position'] = position + 1
    return table


def inputs():
    state = [37]

    def pick(count):
        state[0] = state[0] * 16807 % 2147483647
        return state[0] % count

    def case(team_count, share_played):
        teams = ['Team %s%d' % ('ABCDEF'[index % 6], index) for index in range(team_count)]
        matches = []
        for home in teams:
            for away in teams:
                if home != away:
                    played = pick(100) < share_played
                    score = '%d:%d' % (pick(5), pick(4)) if played else None
                    matches.append({'home': home, 'away': away, 'score': score})
        return [matches, {teams[pick(team_count)]: 3}]

    return [case(2, 100), case(6, 80), case(12, 100), case(26, 90)]
