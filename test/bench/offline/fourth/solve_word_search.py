DIRECTIONS = {
    "E": (0, 1),
    "W": (0, -1),
    "S": (1, 0),
    "N": (-1, 0),
    "SE": (1, 1),
    "SW": (1, -1),
    "NE": (-1, 1),
    "NW": (-1, -1),
}


class Grid:
    def __init__(self, rows):
        width = max([len(row) for row in rows], default=0)
        self.rows = [row.upper().ljust(width) for row in rows]
        self.height = len(rows)
        self.width = width

    def inside(self, row, column):
        return 0 <= row < self.height and 0 <= column < self.width

    def read(self, row, column, direction, length):
        """The letters from a cell on; fewer where the grid ends."""
        down, right = DIRECTIONS[direction]
        letters = ""
        for _ in range(length):
            if not self.inside(row, column):
                break
            letters += self.rows[row][column]
            row += down
            column += right
        return letters

    def places_of(self, word):
        for row in range(self.height):
            for column in range(self.width):
                for direction in DIRECTIONS:
                    if self.read(row, column, direction, len(word)) == word:
                        yield row, column, direction


def solve_word_search(rows, words):
    """Finds the words of a word search puzzle in all eight directions.

    Gives the first place of each word (top to bottom, left to right), how often
    it occurs, and the letters that belong to no word, which often make the
    solution of the puzzle.
    """
    grid = Grid(rows)
    used = []
    found = {}
    missing = []
    for word in words:
        letters = word.upper().replace(" ", "").replace("-", "")
        places = list(grid.places_of(letters)) if letters else []
        if not places:
            missing.append(word)
            continue
        row, column, direction = places[0]
        found[word] = {"row": row + 1, "column": column + 1, "direction": direction, "times": len(places)}
        for row, column, direction in places:
            down, right = DIRECTIONS[direction]
            for step in range(len(letters)):
                cell = (row + step * down, column + step * right)
                if cell not in used:
                    used.append(cell)

    rest = ""
    for row in range(grid.height):
        for column in range(grid.width):
            if (row, column) not in used and grid.rows[row][column] != " ":
                rest += grid.rows[row][column]
    return {"found": found, "missing": missing, "rest": rest}


def inputs():
    state = 17

    def draw(count):
        nonlocal state
        state = state * 48271 % 2147483647
        return state % count

    def call(size, words):
        cells = [["ETAOINSRHLDC"[draw(12)] for _ in range(size)] for _ in range(size)]
        for word in words:
            down, right = list(DIRECTIONS.values())[draw(8)]
            row, column = draw(size), draw(size)
            for letter in word.upper():
                if 0 <= row < size and 0 <= column < size:
                    cells[row][column] = letter
                row, column = row + down, column + right
        return [["".join(row) for row in cells], words]

    animals = ["cat", "horse", "lion", "otter", "snail", "hare", "hen", "stoat", "seal", "rhino"]
    return [
        [["CATS", "OXXA", "DOGT"], ["cat", "dog", "cod", "Sat", "T-X"]],
        call(6, animals[:4]),
        call(9, animals[:7]),
        call(13, animals),
    ]
