def answers_to(response, question):
    """A question may have one answer, a list of them or none."""
    answer = response.get(question)
    if answer is None or answer == "":
        return ["(none)"]
    if isinstance(answer, list):
        return [str(item) for item in answer] or ["(none)"]
    return [str(answer)]


def passes(response, where):
    return all(
        any(answer in wanted for answer in answers_to(response, question))
        for question, wanted in where.items()
    )


def percent(part, whole):
    return round(100 * part / whole, 1) if whole else 0.0


def survey_crosstab(responses, row_question, column_question, where=None, weight=None):
    """Cross table of two questions of a survey.

    ``where`` maps questions to the answers that are wanted; ``weight`` names
    the field with the weight of a response. Someone who gave several answers
    is counted in each of the cells.
    """
    selected = [response for response in responses if passes(response, where or {})]
    rows = sorted({answer for response in selected for answer in answers_to(response, row_question)})
    columns = sorted({answer for response in selected for answer in answers_to(response, column_question)})

    def count(row=None, column=None):
        total = 0
        for response in selected:
            if row is not None and row not in answers_to(response, row_question):
                continue
            if column is not None and column not in answers_to(response, column_question):
                continue
            total += response.get(weight, 1) if weight else 1
        return total

    cells = []
    for row in rows:
        line = {"label": row, "total": count(row=row), "cells": []}
        for column in columns:
            n = count(row, column)
            line["cells"].append(
                {
                    "n": n,
                    "row_percent": percent(n, count(row=row)),
                    "column_percent": percent(n, count(column=column)),
                }
            )
        cells.append(line)

    return {
        "columns": columns,
        "rows": cells,
        "column_totals": [count(column=column) for column in columns],
        "base": count(),
        "left_out": len(responses) - len(selected),
    }


def inputs():
    state = 31

    def draw(count):
        nonlocal state
        state = state * 48271 % 2147483647
        return state % count

    def call(count):
        responses = []
        for _ in range(count):
            response = {
                "age": ["18-29", "30-44", "45-59", "60+"][draw(4)],
                "region": ["north", "south", "east", "west", "north"][draw(5)],
                "media": [name for name in ["tv", "radio", "web", "print"] if draw(2)],
                "rating": 1 + draw(5),
                "weight": 1 + draw(4),
            }
            if draw(12) == 0:
                del response["age"]
            responses.append(response)
        return responses

    return [
        [call(6), "age", "rating"],
        [call(40), "media", "region", {"age": ["18-29", "30-44"]}],
        [call(120), "rating", "age", None, "weight"],
        [call(420), "media", "age", {"region": ["north", "south", "east"]}, "weight"],
    ]
