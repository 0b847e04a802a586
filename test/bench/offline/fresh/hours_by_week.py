"""The hours spent on each project, week by week, as lines of a report."""
from datetime import date


def hours_by_week(entries):
    weeks = {}
    for day, project, hours in entries:
        year, month, number = day.split("-")
        iso = date(int(year), int(month), int(number)).isocalendar()
        week = "%d-W%02d" % (iso[0], iso[1])
        if week not in weeks:
            weeks[week] = {}
        weeks[week][project] = weeks[week].get(project, 0) + hours
    lines = []
    for week in sorted(weeks):
        lines.append(week)
        for project in sorted(weeks[week]):
            lines.append("  %s: %d h" % (project, weeks[week][project]))
        lines.append("  total: %d h" % sum(weeks[week].values()))
    return lines


def inputs():
    return [
        [[["2025-01-06", "web", 3], ["2025-01-07", "web", 2], ["2025-01-14", "app", 8], ["2025-01-08", "app", 1]]],
        [[["2024-12-30", "web", 5], ["2025-02-03", "ops", 4]]],
    ]
