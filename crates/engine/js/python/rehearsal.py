import json, math, re, collections, datetime, random, statistics, itertools

class Item:
    def __init__(self, name, price):
        self.name, self.price = name, price

    def total(self, count=1, *, tax=0.2):
        return round(self.price * count * (1 + tax), 2)

def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

items = [Item(f"item {i}", i * 1.5) for i in range(200)]
by_name = {item.name: item.total(3) for item in items if item.price > 10}
words = collections.Counter(re.findall(r"[a-z]+", "the quick brown fox jumps over the lazy dog " * 40))
text = json.dumps({"items": by_name, "words": words.most_common(5)}, indent=2)
found = json.loads(text)
flags = [True] * 5_000
for i in range(2, 71):
    if flags[i]:
        for j in range(i * i, 5_000, i):
            flags[j] = False
counts = {}
for i in range(3_000):
    word = str(i % 97)
    counts[word] = counts.get(word, 0) + 1
n = 0
while n < 1_000:
    n += 1
    try:
        if n % 250 == 0:
            raise ValueError(f"{n} is wrong")
    except ValueError as error:
        text += str(error)
rows = sorted(((math.sqrt(i) % 3, str(i), [i]) for i in range(500)), key=lambda row: (row[0], row[1]))
days = [datetime.date(2026, 1, 1) + datetime.timedelta(days=i) for i in range(60)]
lines = "\n".join(f"{day.isoformat()},{statistics.mean([1, 2, i]):.2f}" for i, day in enumerate(days))
cells = [line.split(",") for line in lines.splitlines()]
total = sum(float(cell) for _, cell in cells) + sum(x * y for x, y in itertools.product(range(30), range(30)))
[fib(15), total, len(rows), text.upper().count("ITEM"), {1, 2} | {3}, 2**100 % 97, b"bytes".hex()]
