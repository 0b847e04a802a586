"""Parses the lines of a web access log and reports sessions, errors and favourite pages of every user."""
import re
from datetime import datetime

LINE = re.compile(r'^(\S+) (\S+) \[([^\]]+)\] "([A-Z]+) (\S+)" (\d{3}) (\d+|-)$')


def parse_line(line):
    found = LINE.match(line.strip())
    if found is None:
        return None
    address, user, when, method, path, status, size = found.groups()
    try:
        time = datetime.strptime(when, '%Y-%m-%d %H:%M:%S')
    except ValueError:
        return None
    return {
        'user': user if user != '-' else address,
        'time': time,
        'method': method,
        'path': path.split('?')[0],
        'status': int(status),
        'size': 0 if size == '-' else int(size),
    }


def split_sessions(entries, gap_minutes):
    sessions = []
    for entry in sorted(entries, key=lambda e: e['time']):
        if sessions:
            pause = (entry['time'] - sessions[-1][-1]['time']).total_seconds()
            if pause <= gap_minutes * 60:
                sessions[-1].append(entry)
                continue
        sessions.append([entry])
    return sessions


def favourite_pages(entries, count=3):
    paths = [entry['path'] for entry in entries if entry['method'] == 'GET' and entry['status'] < 400]
    different = sorted(set(paths), key=lambda path: (-paths.count(path), path))
    return [{'path': path, 'views': paths.count(path)} for path in different[:count]]


def summarize_access_log(lines, gap_minutes=30, strict=False):
    entries = []
    bad_lines = []
    for number, line in enumerate(lines, start=1):
        if line.strip() == '' or line.startswith('#'):
            continue
        entry = parse_line(line)
        if entry is not None:
            entries.append(entry)
        elif strict:
            raise ValueError('line %d cannot be read' % number)
        else:
            bad_lines.append(number)
    users = []
    for name in sorted(set(entry['user'] for entry in entries)):
        own = [entry for entry in entries if entry['user'] == name]
        sessions = split_sessions(own, gap_minutes)
        lengths = [int((s[-1]['time'] - s[0]['time']).total_seconds()) for s in sessions]
        users.append({
            'user': name,
            'requests': len(own),
            'sessions': len(sessions),
            'longest_seconds': max(lengths),
            'bytes': sum(entry['size'] for entry in own),
            'errors': len([entry for entry in own if entry['status'] >= 400]),
            'pages': favourite_pages(own),
        })
    users.sort(key=lambda user: -user['requests'])
    return {'users': users, 'bad_lines': bad_lines}


def inputs():
    state = [53]

    def pick(count):
        state[0] = state[0] * 16807 % 2147483647
        return state[0] % count

    def case(line_count, user_count, page_count):
        lines = []
        for index in range(line_count):
            second = index * 40 + pick(40)
            when = '2024-03-%02d %02d:%02d:%02d' % (
                1 + second // 86400, second // 3600 % 24, second // 60 % 60, second % 60)
            user = '-' if pick(12) == 0 else 'user%d' % pick(user_count)
            path = '/page/%d' % (pick(page_count) * pick(page_count) % page_count)
            if pick(4) == 0:
                path += '?ref=%d' % pick(9)
            status = [200, 200, 200, 304, 404, 500][pick(6)]
            size = '-' if status == 304 else str(200 + pick(9000))
            method = 'POST' if pick(8) == 0 else 'GET'
            line = '10.0.%d.%d %s [%s] "%s %s" %d %s' % (pick(3), pick(9), user, when, method, path, status, size)
            lines.append(line if pick(60) else line[:30])
        return [lines, 20]

    return [case(1, 1, 2), case(30, 4, 6), case(300, 15, 40), case(1300, 40, 90)]
