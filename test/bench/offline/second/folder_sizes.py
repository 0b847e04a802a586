"""Reports the size of every folder with all that lies below it, the largest folder first."""


def folder_sizes(files, least):
    folders = []
    for file in files:
        parts = file["path"].split("/")
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth])
            if folder and folder not in folders:
                folders.append(folder)

    report = []
    for folder in folders:
        size = 0
        count = 0
        newest = 0
        for file in files:
            if file["path"].startswith(folder + "/"):
                size += file["bytes"]
                count += 1
                newest = max(newest, file["changed"])
        if size >= least:
            report.append({"folder": folder, "bytes": size, "files": count, "changed": newest})

    report.sort(key=lambda row: (-row["bytes"], row["folder"]))
    return report


def inputs():
    files = [
        {"path": "src/main.py", "bytes": 900, "changed": 4},
        {"path": "src/tools/dates.py", "bytes": 350, "changed": 9},
        {"path": "docs/index.md", "bytes": 120, "changed": 2},
        {"path": "README", "bytes": 40, "changed": 1},
    ]
    return [[files, 0], [files, 400], [[], 10]]
