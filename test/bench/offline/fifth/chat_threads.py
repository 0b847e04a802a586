"""Groups the messages of a chat channel into threads and sums each of them up."""


def by_id(messages, message_id):
    for message in messages:
        if message["id"] == message_id:
            return message
    return None


def root_of(messages, message):
    """The message that started the thread, and how deep this one lies in it."""
    depth = 0
    seen = [message["id"]]
    current = message
    while current.get("reply_to") is not None:
        parent = by_id(messages, current["reply_to"])
        # A deleted parent, or a loop from a bad import, starts a thread of its own.
        if parent is None or parent["id"] in seen:
            break
        seen.append(parent["id"])
        current = parent
        depth += 1
    return current["id"], depth


def mentions(text):
    found = []
    for word in text.split():
        name = word.strip(".,!?:;")
        if name.startswith("@") and len(name) > 1:
            found.append(name[1:].lower())
    return found


def chat_threads(messages, reader=None):
    ordered = sorted(messages, key=lambda message: message["sent"])
    roots = []
    for message in ordered:
        root, _ = root_of(ordered, message)
        if root not in roots:
            roots.append(root)

    threads = []
    for root in roots:
        members = [message for message in ordered if root_of(ordered, message)[0] == root]
        authors = []
        for message in members:
            if message["author"] not in authors:
                authors.append(message["author"])
        unread = 0
        for message in reversed(members):
            if message["author"] == reader:
                break
            unread += 1
        named = [name for message in members for name in mentions(message.get("text", ""))]
        threads.append({
            "root": root,
            "size": len(members),
            "depth": max(root_of(ordered, message)[1] for message in members),
            "authors": authors,
            "last": members[-1]["sent"],
            "unread": unread if reader is not None else None,
            "mentions_reader": reader is not None and named.count(reader.lower()) > 0,
        })
    threads.sort(key=lambda thread: (-thread["last"], -thread["size"]))
    return threads


def inputs():
    seed = 5150

    def below(limit):
        nonlocal seed
        seed = (seed * 1664525 + 1013904223) % 4294967296
        return seed // 65536 % limit

    people = ["Ann", "Bob", "carla", "Dieter", "eve"]
    phrases = ["ok", "thanks @Ann!", "who takes this?", "@bob: see above", "done", "@eve, @carla please look", ""]
    calls = []
    for count, reader in [(1, None), (12, "Ann"), (30, "eve"), (60, "Bob")]:
        messages = []
        for number in range(count):
            message = {"id": number + 1, "author": people[below(5)], "sent": 1000 + number * 3 // 2 + below(3)}
            if below(5):
                message["text"] = phrases[below(len(phrases))]
            if number and below(10) < 7:
                message["reply_to"] = max(0, number - below(6))
            elif below(2):
                message["reply_to"] = None
            messages.append(message)
        calls.append([messages, reader])
    return calls
