"""Plans for each order the day on which it is delivered, when only working days count, and lists the orders of each day."""

from datetime import datetime, timedelta


def delivery_dates(orders, holidays):
    days = {}
    for order in orders:
        day = datetime.strptime(order["placed"], "%Y-%m-%d")
        left = order["days"]
        if order.get("express"):
            left = (left + 1) // 2
        # What is placed on a closed day is first handled on the next open one.
        while not is_working_day(day, holidays):
            day += timedelta(days=1)
        while left > 0:
            day += timedelta(days=1)
            if is_working_day(day, holidays):
                left -= 1
        key = day.strftime("%Y-%m-%d")
        if key not in days:
            days[key] = []
        days[key].append(order["id"])

    plan = []
    for key in sorted(days):
        plan.append({"date": key, "weekday": datetime.strptime(key, "%Y-%m-%d").weekday(), "orders": sorted(days[key])})
    return plan


def is_working_day(day, holidays):
    closed = [datetime.strptime(holiday, "%Y-%m-%d") for holiday in holidays]
    return day.weekday() < 5 and day not in closed


def inputs():
    orders = [
        {"id": 1, "placed": "2024-03-28", "days": 3},
        {"id": 2, "placed": "2024-03-29", "days": 5, "express": True},
        {"id": 3, "placed": "2024-04-02", "days": 1},
    ]
    return [[orders, ["2024-03-29", "2024-04-01"]], [orders[:1], []]]
