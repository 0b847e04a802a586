"""Merges the address books of several devices: one entry per e-mail address, with all its phone numbers."""


def merge_contacts(books):
    merged = []
    for book in books:
        for contact in book:
            email = contact["email"].strip().lower()
            existing = None
            for entry in merged:
                if entry["email"] == email:
                    existing = entry
            if existing is None:
                existing = {"email": email, "name": contact["name"], "phones": [], "seen": 0}
                merged.append(existing)
            if len(contact["name"]) > len(existing["name"]):
                existing["name"] = contact["name"]
            for phone in contact["phones"]:
                digits = ""
                for character in phone:
                    if character.isdigit() or character == "+":
                        digits += character
                if digits not in existing["phones"]:
                    existing["phones"].append(digits)
            existing["seen"] += 1
    merged.sort(key=lambda entry: entry["name"].lower())
    return merged


def inputs():
    return [
        [
            [
                [
                    {"email": "Ann@x.org", "name": "Ann", "phones": ["+47 123", "99-1"]},
                    {"email": "bob@x.org", "name": "Bob", "phones": []},
                ],
                [
                    {"email": "ann@x.org ", "name": "Ann Lee", "phones": ["+47123", "55 5"]},
                    {"email": "cid@x.org", "name": "Cid", "phones": ["7"]},
                ],
            ]
        ],
        [[[{"email": "e@e", "name": "Eve", "phones": ["1"]}]]],
    ]
