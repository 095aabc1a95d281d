#!/usr/bin/env python3
"""Sentence encoders with random weights, in the files that authors publish, and what NumPy says they give.

encoders.py make FOLDER SHAPE     SHAPE as JSON: config.json, with dtype, prefix, pooling, length besides; tokenizer.json is there
encoders.py run FOLDER < lines    each line: a list of tokens; prints the vector of each
encoders.py unigram MODEL OUT     tokenizer.json from a model of spm_train
"""
import base64
import json
import math
import struct
import sys
from pathlib import Path

import numpy as np

POOLINGS = {"mean": "pooling_mode_mean_tokens", "cls": "pooling_mode_cls_token", "sqrt": "pooling_mode_mean_sqrt_len_tokens"}


def tensors_of(c, prefix):
    width, inner = c["hidden_size"], c["intermediate_size"]
    yield f"{prefix}embeddings.word_embeddings.weight", (c["vocab_size"], width)
    yield f"{prefix}embeddings.position_embeddings.weight", (c["max_position_embeddings"], width)
    yield f"{prefix}embeddings.token_type_embeddings.weight", (c["type_vocab_size"], width)
    norms = ["embeddings.LayerNorm"]
    pairs = []
    for i in range(c["num_hidden_layers"]):
        layer = f"encoder.layer.{i}."
        pairs += [(layer + f"attention.self.{part}", (width, width)) for part in ("query", "key", "value")]
        pairs += [(layer + "attention.output.dense", (width, width)), (layer + "intermediate.dense", (inner, width)),
                  (layer + "output.dense", (width, inner))]
        norms += [layer + "attention.output.LayerNorm", layer + "output.LayerNorm"]
    for name, shape in pairs:
        yield f"{prefix}{name}.weight", shape
        yield f"{prefix}{name}.bias", shape[:1]
    for name in norms:
        yield f"{prefix}{name}.weight", (width,)
        yield f"{prefix}{name}.bias", (width,)


def stored(array, dtype):
    array = array.astype(np.float32)
    if dtype == "BF16":  # the upper half of the bits, rounded to the nearest
        bits = array.view(np.uint32)
        return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16).tobytes()
    return array.astype(np.float16 if dtype == "F16" else np.float32).tobytes()


def make(folder, shape):
    folder = Path(folder)
    c = json.loads(shape)
    dtype, prefix, pooling, length = (c.pop(key) for key in ("dtype", "prefix", "pooling", "length"))
    random = np.random.default_rng(c["hidden_size"])
    head, parts, at = {"__metadata__": {"format": "pt"}}, [], 0
    for name, shape in tensors_of(c, prefix):
        array = random.normal(0, 0.08 if len(shape) > 1 else 0.2, shape) + ("LayerNorm.weight" in name)
        parts.append(stored(array, dtype))
        head[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [at, at + len(parts[-1])]}
        at += len(parts[-1])
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))
    (folder / "config.json").write_text(json.dumps(c))
    (folder / "modules.json").write_text(json.dumps([
        {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for i, (path, kind) in enumerate([("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")])]))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": length, "do_lower_case": False}))
    (folder / "1_Pooling").mkdir(exist_ok=True)
    (folder / "1_Pooling/config.json").write_text(json.dumps(
        {"word_embedding_dimension": c["hidden_size"], **{key: name == pooling for name, key in POOLINGS.items()}}))


def read(folder):
    data = (Path(folder) / "model.safetensors").read_bytes()
    n = struct.unpack("<Q", data[:8])[0]
    head, data = json.loads(data[8:8 + n]), data[8 + n:]
    out = {}
    for name, t in head.items():
        if name == "__metadata__":
            continue
        part = data[slice(*t["data_offsets"])]
        if t["dtype"] == "BF16":
            array = (np.frombuffer(part, np.uint16).astype(np.uint32) << 16).view(np.float32)
        else:
            array = np.frombuffer(part, np.float16 if t["dtype"] == "F16" else np.float32)
        out[name] = array.astype(np.float64).reshape(t["shape"])
    return out


def bend(name, x):
    if name == "relu":
        return np.maximum(x, 0)
    if name == "gelu":
        return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2
    return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))) / 2


class Encoder:
    def __init__(self, folder):
        self.c = json.loads((Path(folder) / "config.json").read_text())
        self.w = read(folder)
        self.prefix = next(name for name in self.w if name.endswith("word_embeddings.weight"))[:-len("embeddings.word_embeddings.weight")]
        modes = json.loads((Path(folder) / "1_Pooling/config.json").read_text())
        self.first = modes["pooling_mode_cls_token"]

    def dense(self, name, x):
        return x @ self.w[f"{self.prefix}{name}.weight"].T + self.w[f"{self.prefix}{name}.bias"]

    def norm(self, name, x):
        off = x - x.mean(-1, keepdims=True)
        even = off / np.sqrt((off ** 2).mean(-1, keepdims=True) + self.c["layer_norm_eps"])
        return even * self.w[f"{self.prefix}{name}.weight"] + self.w[f"{self.prefix}{name}.bias"]

    def attend(self, layer, x):
        heads, n = self.c["num_attention_heads"], len(x)
        q, k, v = (self.dense(f"{layer}attention.self.{part}", x).reshape(n, heads, -1).transpose(1, 0, 2) for part in ("query", "key", "value"))
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        return self.dense(f"{layer}attention.output.dense", (scores @ v).transpose(1, 0, 2).reshape(n, -1))

    def run(self, tokens):
        table = f"{self.prefix}embeddings."
        start = 0 if self.c["model_type"] == "bert" else self.c["pad_token_id"] + 1
        x = self.w[table + "word_embeddings.weight"][tokens] + self.w[table + "position_embeddings.weight"][start:start + len(tokens)]
        x = self.norm("embeddings.LayerNorm", x + self.w[table + "token_type_embeddings.weight"][0])
        for i in range(self.c["num_hidden_layers"]):
            layer = f"encoder.layer.{i}."
            x = self.norm(layer + "attention.output.LayerNorm", x + self.attend(layer, x))
            wide = bend(self.c["hidden_act"], self.dense(layer + "intermediate.dense", x))
            x = self.norm(layer + "output.LayerNorm", x + self.dense(layer + "output.dense", wide))
        x = x[0] if self.first else x.mean(0)
        return (x / np.linalg.norm(x)).tolist()


def fields(data):
    """The fields of a protobuf message: (number, value)."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = number()
        kind = key & 7
        if kind == 0:
            value = number()
        else:
            n = {1: 8, 5: 4}.get(kind) or number()
            value, at = data[at:at + n], at + n
        yield key >> 3, value


def unigram(model, out):
    """As the authors of tokenizers convert such a model: the first four pieces are <s>, <pad>, </s>, <unk>."""
    pieces, charsmap = [], b""
    for field, value in fields(Path(model).read_bytes()):
        if field == 1:
            piece = dict(fields(value))
            pieces.append([piece[1].decode(), struct.unpack("<f", piece.get(2, bytes(4)))[0]])
        elif field == 3:
            charsmap = dict(fields(value)).get(2, b"")
    special = [{"id": i, "content": pieces[i][0], "special": True, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
               for i in range(4)]
    ends = {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}, "</s>": {"id": "</s>", "ids": [2], "tokens": ["</s>"]}}
    template = [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}]
    Path(out).write_text(json.dumps({
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": special,
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap).decode()},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}]},
        "post_processor": {"type": "TemplateProcessing", "single": template, "pair": template, "special_tokens": ends},
        "decoder": None,
        "model": {"type": "Unigram", "unk_id": 3, "vocab": pieces, "byte_fallback": False}}))


if __name__ == "__main__":
    if sys.argv[1] == "run":
        encoder = Encoder(sys.argv[2])
        for line in sys.stdin:
            print(json.dumps(encoder.run(json.loads(line))), flush=True)
    else:
        {"make": make, "unigram": unigram}[sys.argv[1]](*sys.argv[2:])
