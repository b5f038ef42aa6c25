"""An agent for `labrys lobby`, a random player: python agent.py HOST:PORT NAME [TOKEN]."""

import random
import socket
import sys

import labrys

address, name, *token = sys.argv[1:]
host, port = address.rsplit(":", 1)
game = labrys.Game("tucchess")
stream = socket.create_connection((host, int(port))).makefile("rw", newline="\n")
greeting = ["join", "name", name, "games", game.name, *(["token", token[0]] if token else [])]
print(*greeting, file=stream, flush=True)
for line in stream:
    match line.split():
        case ["uci"]:
            print(f"option name UCI_Variant type combo var {game.name}\nuciok", file=stream, flush=True)
        case ["isready"]:
            print("readyok", file=stream, flush=True)
        case ["position", "fen", *words]:
            fen, _, moves = " ".join(words).partition(" moves ")
            position = game.position(fen, moves.split())
        case ["go", *_]:
            print("bestmove", random.choice(position.legal_moves), file=stream, flush=True)
        case ["info", "string", *words]:
            print(*words)
        case ["quit"]:
            break
