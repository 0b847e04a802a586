"""Weekly payroll: hours, overtime, tax and the cost of every department."""

OVERTIME_AFTER = 40
TAX_BANDS = [(0, 0.0), (200, 0.1), (600, 0.2), (1200, 0.35)]


def find_employee(employees, employee_id):
    for employee in employees:
        if employee["id"] == employee_id:
            return employee
    return None


def paid_hours(shifts, employee_id, holidays):
    total = 0
    for shift in shifts:
        if shift["employee"] != employee_id:
            continue
        hours = max(0, shift["hours"] - shift.get("break", 0))
        # Work on a public holiday counts twice.
        if shift.get("day") in holidays:
            hours = hours * 2
        total += hours
    return total


def tax_on(gross):
    tax = 0
    for index, (start, rate) in enumerate(TAX_BANDS):
        end = TAX_BANDS[index + 1][0] if index + 1 < len(TAX_BANDS) else gross
        if gross > start:
            tax += (min(gross, end) - start) * rate
    return round(tax, 2)


def payroll_run(employees, shifts, holidays=None):
    holidays = holidays or []
    unknown = []
    for shift in shifts:
        if find_employee(employees, shift["employee"]) is None:
            if shift["employee"] not in unknown:
                unknown.append(shift["employee"])

    slips = []
    for employee in employees:
        hours = paid_hours(shifts, employee["id"], holidays)
        if hours == 0:
            continue
        overtime = max(0, hours - OVERTIME_AFTER)
        gross = round((hours - overtime) * employee["rate"] + overtime * employee["rate"] * 1.5, 2)
        tax = 0 if employee.get("exempt") else tax_on(gross)
        slips.append({
            "employee": employee["id"],
            "hours": hours,
            "overtime": overtime,
            "gross": gross,
            "tax": tax,
            "net": round(gross - tax, 2),
        })
    slips.sort(key=lambda slip: slip["net"], reverse=True)

    departments = {}
    for slip in slips:
        name = find_employee(employees, slip["employee"]).get("department") or "general"
        departments[name] = round(departments.get(name, 0) + slip["gross"], 2)
    return {"slips": slips, "departments": departments, "unknown": unknown}


def inputs():
    seed = 20417

    def below(limit):
        nonlocal seed
        seed = (seed * 1664525 + 1013904223) % 4294967296
        return seed // 65536 % limit

    days = ["mon", "tue", "wed", "thu", "fri", "sat"]
    calls = []
    for people, count in [(1, 1), (5, 18), (30, 140), (110, 620)]:
        employees = []
        for number in range(people):
            employee = {"id": f"E{number:03d}", "rate": 12 + below(30) * 0.5}
            if below(4):
                employee["department"] = ["kitchen", "sales", "", "office"][below(4)]
            if below(9) == 0:
                employee["exempt"] = True
            employees.append(employee)
        shifts = []
        for _ in range(count):
            shift = {"employee": f"E{below(people + 2):03d}", "day": days[below(6)], "hours": 4 + below(9)}
            if below(2):
                shift["break"] = [0.5, 0.75, 1][below(3)]
            shifts.append(shift)
        calls.append([employees, shifts, ["sat"] if below(2) else None])
    return calls
