"""How often each student came to a course, the least often first."""


def attendance(students, records, limit):
    report = []
    for student in students:
        days = 0
        present = 0
        late = 0
        for record in records:
            if record["student"] == student["id"]:
                days += 1
                if record["status"] == "present":
                    present += 1
                if record["status"] == "late":
                    late += 1
        if days == 0:
            rate = 0.0
        else:
            rate = round((present + late) / days * 100, 1)
        report.append({"name": student["name"], "days": days, "late": late, "rate": rate})
    report = sorted(report, key=lambda row: (row["rate"], row["name"]))
    warnings = [row["name"] for row in report if row["rate"] < limit and row["days"] > 0]
    absent = [student["name"] for student in students if student["id"] not in [record["student"] for record in records]]
    return report, warnings, absent


def inputs():
    return [
        [
            [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}, {"id": 3, "name": "Cid"}],
            [
                {"student": 1, "status": "present"},
                {"student": 1, "status": "late"},
                {"student": 2, "status": "absent"},
                {"student": 2, "status": "present"},
                {"student": 1, "status": "absent"},
            ],
            60,
        ],
        [[{"id": 7, "name": "Eve"}], [{"student": 7, "status": "present"}], 50],
    ]
