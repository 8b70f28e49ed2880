"""llama.cpp's own server with a tiny model of random numbers: llama_server.py FOLDER [PORT]

It prints the address when it is ready.  The model says words of its own; it never ends by itself.
"""

import pathlib
import signal
import sys

import gguf
import numpy
import xllamacpp

WORDS = ["alpha", "beta", "gamma", "delta", "kappa", "lambda", "sigma", "omega"]
SIZE, LAYERS, HEADS, CONTEXT, SLOTS = 32, 1, 2, 32768, 8


def tokens():
    """(text, score, type) of each: what SentencePiece needs, bytes for all other texts, and the words."""
    kind = gguf.TokenType
    yield from [("<unk>", 0, kind.UNKNOWN), ("<s>", 0, kind.CONTROL), ("</s>", 0, kind.CONTROL)]
    yield from [(f"<0x{i:02X}>", 0, kind.BYTE) for i in range(256)]
    yield from [(f"\u2581{word}", -1, kind.NORMAL) for word in WORDS]


def make_model(path):
    vocabulary = list(tokens())
    drawn = numpy.random.default_rng(1)

    def some(*shape):
        return drawn.standard_normal(shape, dtype=numpy.float32)
    out = gguf.GGUFWriter(path, "llama")
    out.add_context_length(CONTEXT)
    out.add_embedding_length(SIZE)
    out.add_block_count(LAYERS)
    out.add_feed_forward_length(SIZE)
    out.add_head_count(HEADS)
    out.add_layer_norm_rms_eps(1e-5)
    out.add_tokenizer_model("llama")
    out.add_token_list([text for text, _, _ in vocabulary])
    out.add_token_scores([score for _, score, _ in vocabulary])
    out.add_token_types([int(of) for _, _, of in vocabulary])
    out.add_bos_token_id(1)
    out.add_eos_token_id(2)
    out.add_tensor("token_embd.weight", some(len(vocabulary), SIZE))
    # Only words are ever likely.
    likely = 10 * some(len(vocabulary), SIZE)
    likely[:-len(WORDS)] = 0
    out.add_tensor("output.weight", likely)
    out.add_tensor("output_norm.weight", numpy.ones(SIZE, numpy.float32))
    for i in range(LAYERS):
        for name in ("attn_norm", "ffn_norm"):
            out.add_tensor(f"blk.{i}.{name}.weight", numpy.ones(SIZE, numpy.float32))
        for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"):
            out.add_tensor(f"blk.{i}.{name}.weight", some(SIZE, SIZE))
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


def main():
    folder, port = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    model = folder / "model.gguf"
    make_model(model)
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = SLOTS * CONTEXT
    params.n_parallel = SLOTS
    params.slot_prompt_similarity = 0.5  # a slot is for what begins as its last prompt did
    params.cpuparams.n_threads = 1
    params.warmup = False
    server = xllamacpp.Server(params)
    print("ready on", server.listening_address, flush=True)
    signal.sigwait({signal.SIGTERM, signal.SIGINT})


if __name__ == "__main__":
    main()
