#!/usr/bin/env python3
"""Print layers.json: what the model of tests/support/tiny_model.h gives for some tokens.

Another implementation of the same layers, the simple way and with 64 bits.
"""
import json
import math

WORDS, WIDTH, INNER, LAYERS, HEADS, POSITIONS = 13, 32, 48, 2, 2, 16
TOKENS = [[2, 3], [2, 4, 5, 3], [2, 7, 8, 6, 1, 12, 3], [2, 9, 11, 11, 10, 9, 4, 4, 5, 6, 12, 12, 1, 7, 8, 3]]

state = 1


def tensor(rows, columns, add=0.0):
    def number():
        global state
        state = (state * 1103515245 + 12345) & 0xFFFFFFFF
        return ((state >> 16 & 255) - 128) / 512 + add
    return [[number() for _ in range(columns)] for _ in range(rows)]


def dense(outputs, inputs):
    return tensor(outputs, inputs), tensor(1, outputs)[0]


def norm_weights():
    return tensor(1, WIDTH, 1.0)[0], tensor(1, WIDTH)[0]


def apply(layer, x):
    weights, bias = layer
    return [sum(w * v for w, v in zip(row, x)) + b for row, b in zip(weights, bias)]


def norm(weights, x):
    gain, bias = weights
    mean = sum(x) / len(x)
    variance = sum((v - mean) ** 2 for v in x) / len(x)
    return [(v - mean) / math.sqrt(variance + 1e-12) * g + b for v, g, b in zip(x, gain, bias)]


def add(*rows):
    return [sum(values) for values in zip(*rows)]


def gelu(v):
    return v * (1 + math.erf(v / math.sqrt(2))) / 2


def attend(layer, rows):
    size = WIDTH // HEADS
    questions, keys, values = ([apply(layer[part], x) for x in rows] for part in ("query", "key", "value"))
    mixed = []
    for question in questions:
        row = []
        for at in range(0, WIDTH, size):
            near = [math.exp(sum(question[at + i] * key[at + i] for i in range(size)) / math.sqrt(size)) for key in keys]
            row += [sum(n * value[at + i] for n, value in zip(near, values)) / sum(near) for i in range(size)]
        mixed.append(row)
    return [norm(layer["mixed"], add(x, apply(layer["mix"], m))) for x, m in zip(rows, mixed)]


def bend(layer, x):
    wide = [gelu(v) for v in apply(layer["widen"], x)]
    return norm(layer["done"], add(x, apply(layer["narrow"], wide)))


words, positions, types = tensor(WORDS, WIDTH), tensor(POSITIONS, WIDTH), tensor(2, WIDTH)
first = norm_weights()
layers = []
for _ in range(LAYERS):
    layers.append({
        "query": dense(WIDTH, WIDTH), "key": dense(WIDTH, WIDTH), "value": dense(WIDTH, WIDTH),
        "mix": dense(WIDTH, WIDTH), "mixed": norm_weights(),
        "widen": dense(INNER, WIDTH), "narrow": dense(WIDTH, INNER), "done": norm_weights(),
    })

print("[")
for number, tokens in enumerate(TOKENS):
    rows = [norm(first, add(words[t], positions[i], types[0])) for i, t in enumerate(tokens)]
    for layer in layers:
        rows = [bend(layer, x) for x in attend(layer, rows)]
    mean = [v / len(rows) for v in add(*rows)]
    length = math.sqrt(sum(v * v for v in mean))
    vector = [round(v / length, 8) for v in mean]
    print(json.dumps({"tokens": tokens, "vector": vector}) + ("," if number + 1 < len(TOKENS) else ""))
print("]")
