"""Computes the due date of support tickets in working days and how late every ticket is on a given day."""
from datetime import date, timedelta

WORKING_DAYS = {'urgent': 1, 'high': 3, 'normal': 10, 'low': 25}


def is_working_day(day, holidays):
    return day.weekday() < 5 and day.isoformat() not in holidays


def is_paused(day, ticket, today):
    for pause in ticket.get('pauses', []):
        first = date.fromisoformat(pause['from'])
        last = date.fromisoformat(pause['to']) if pause.get('to') else today
        if first <= day <= last:
            return True
    return False


def due_date(ticket, holidays, today):
    if ticket['priority'] not in WORKING_DAYS:
        raise ValueError('ticket %s has no known priority' % ticket['id'])
    remaining = WORKING_DAYS[ticket['priority']]
    day = date.fromisoformat(ticket['opened'])
    while remaining > 0:
        day += timedelta(days=1)
        if is_working_day(day, holidays) and not is_paused(day, ticket, today):
            remaining -= 1
    return day


def working_days_between(start, end, holidays):
    count = 0
    day = start
    while day < end:
        day += timedelta(days=1)
        if is_working_day(day, holidays):
            count += 1
    return count


def describe(ticket, holidays, today):
    due = due_date(ticket, holidays, today)
    end = date.fromisoformat(ticket['closed']) if ticket.get('closed') else today
    late = working_days_between(due, end, holidays)
    if ticket.get('closed'):
        state = 'closed late' if late > 0 else 'closed'
    elif late > 0:
        state = 'overdue'
    elif working_days_between(today, due, holidays) <= 1:
        state = 'due soon'
    else:
        state = 'open'
    return {'id': ticket['id'], 'due': due.isoformat(), 'state': state, 'days_late': late}


def ticket_due_dates(tickets, today, holidays=None):
    day = date.fromisoformat(today)
    rows = [describe(ticket, holidays or [], day) for ticket in tickets]
    rows.sort(key=lambda row: (-row['days_late'], row['due'], row['id']))
    summary = {}
    for priority in WORKING_DAYS:
        ids = [ticket['id'] for ticket in tickets if ticket['priority'] == priority]
        own = [row for row in rows if row['id'] in ids]
        late = [row for row in own if row['days_late'] > 0]
        summary[priority] = {
            'tickets': len(own),
            'late': len(late),
            'average_days_late': round(sum(row['days_late'] for row in late) / len(late), 1) if late else 0,
        }
    return {'tickets': rows, 'summary': summary}


def inputs():
    state = [67]

    def pick(count):
        state[0] = state[0] * 16807 % 2147483647
        return state[0] % count

    def iso(offset):
        return (date(2023, 6, 1) + timedelta(days=offset)).isoformat()

    def case(count, holiday_count):
        tickets = []
        for index in range(count):
            opened = pick(300)
            ticket = {
                'id': 'T-%d' % (1000 + index),
                'opened': iso(opened),
                'priority': ['urgent', 'high', 'normal', 'low'][pick(4)],
            }
            if pick(3) == 0:
                ticket['closed'] = iso(opened + pick(60))
            if pick(3) == 0:
                start = opened + pick(8)
                ticket['pauses'] = [{'from': iso(start), 'to': iso(start + pick(12))}]
            tickets.append(ticket)
        return [tickets, iso(310), [iso(pick(365)) for _ in range(holiday_count)]]

    return [case(1, 0), case(10, 4), case(60, 10), case(160, 14)]
