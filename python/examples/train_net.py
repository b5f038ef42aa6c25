"""Trains a policy/value net of Labrys with PyTorch, on a GPU if there is one.

    python train_net.py NET --samples FOLDER/generation-*/samples.safetensors --out NEW_NET

NET and NEW_NET are net files (`labrys zero new`, `labrys zero train`), the samples come from the folders of
`labrys zero train`; docs/file-formats.md describes both formats. In Python:

    run = labrys.zero({"variant": "tucchess", "generations": 5}, out="zero")     # run.net, run.samples()

The loss is that of Labrys itself: the cross-entropy of the policy over the legal moves, the squared error of
the value, and c‖θ‖². The new net can be used at once:

    labrys.Engine("tucchess", SearchMode="mcts", Selection="puct", NetFile="NEW_NET")

Needs the packages torch, numpy and safetensors.
"""

import argparse
import json
import zlib

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save
from torch import nn
from torch.nn import functional


class Net(nn.Module):
    """Both architectures, with the tensor names and layouts of net files."""

    def __init__(self, net):
        super().__init__()
        self.net = net
        channels, inputs, self.is_paper = net["channels"], net["input_planes"], net["architecture"] == "paper"
        squares = net["files"] * net["ranks"]
        count = 4 if self.is_paper else 1 + 2 * net["blocks"]
        widths = [inputs] + [channels] * count
        self.convolution = nn.ModuleList(
            nn.Conv2d(one, other, 3, padding=1, bias=False) for one, other in zip(widths, widths[1:])
        )
        self.normalisation = nn.ModuleList(nn.BatchNorm2d(channels) for _ in range(count))
        units = [channels * squares] + (net["dense"] if self.is_paper else [net["hidden"]])
        self.dense = nn.ModuleList(nn.Linear(one, other) for one, other in zip(units, units[1:]))
        planes = net["policy_planes"]
        self.policy = nn.Linear(units[-1], planes * squares) if self.is_paper else nn.Linear(channels, planes)
        self.value = nn.Linear(units[-1], 1)

    def forward(self, planes, dropout=0.0):
        """The logits of all indices and the value of each position."""

        def convolved(number, x):
            return self.normalisation[number](self.convolution[number](x))

        x = functional.relu(convolved(0, planes))
        if self.is_paper:
            for number in range(1, len(self.convolution)):
                x = functional.relu(convolved(number, x))
        else:
            for number in range(1, len(self.convolution), 2):
                y = functional.relu(convolved(number, x))
                x = functional.relu(convolved(number + 1, y) + x)
        hidden = x.flatten(1)
        for layer in self.dense:
            hidden = functional.dropout(functional.relu(layer(hidden)), dropout, self.training)
        if self.is_paper:
            logits = self.policy(hidden)
        else:
            logits = self.policy(x.flatten(2).transpose(1, 2)).transpose(1, 2).flatten(1)
        return logits, torch.tanh(self.value(hidden)).flatten()


def metadata(path, entry):
    """The JSON object of a file's metadata."""
    with safe_open(path, "pt") as file:
        return json.loads((file.metadata() or {}).get(entry) or exit(f"{path}: no metadata `{entry}`"))


class Samples:
    """The positions of some files."""

    def __init__(self, paths, net, device):
        parts = []
        for path in paths:
            found = metadata(path, "labrys-samples")
            for key in ["game", "encoding", "planes"]:
                # Without names of planes, there are all.
                if found.get(key) != net.get(key):
                    exit(f"{path}: {key} {found.get(key, 'all')}, expected {net.get(key, 'all')}")
            shape = {key: net["net"][key] for key in found["shape"]}
            if found["shape"] != shape:
                exit(f"{path}: {found['shape']}, expected {shape}")
            parts.append(load_file(path))
        joined = {
            name: torch.cat([part[name] for part in parts]) for name in parts[0] if name != "move_offsets"
        }
        counts = torch.cat([part["move_offsets"].to(torch.int64).diff() for part in parts])
        self.offsets = torch.cat([torch.zeros(1, dtype=torch.int64), counts.cumsum(0)])
        self.planes, self.policy = joined["planes"], joined["policy"]
        self.value, self.root_value = joined["value"], joined["root_value"]
        self.indices = joined["policy_indices"].to(torch.int64)
        self.device = device

    def __len__(self):
        return len(self.value)

    def batch(self, positions):
        """Planes, the position and the indices of each move, the policy of each move, values."""
        moves = [torch.arange(self.offsets[place], self.offsets[place + 1]) for place in positions]
        owner = torch.repeat_interleave(torch.arange(len(moves)), torch.tensor([len(each) for each in moves]))
        moves = torch.cat(moves)
        parts = self.planes[positions], owner, self.indices[moves], self.policy[moves], self.value[positions]
        return [part.to(self.device) for part in parts]


def losses(net, batch, dropout):
    """The mean losses of policy and value."""
    planes, owner, indices, policy, value = batch
    logits, found = net(planes, dropout)
    logits = logits[owner[:, None], indices].sum(1)
    most = torch.full_like(found, -torch.inf).scatter_reduce(0, owner, logits, "amax")
    sums = torch.zeros_like(found).index_add(0, owner, (logits - most[owner]).exp())
    log_policy = logits - most[owner] - sums.log()[owner]
    return -(policy * log_policy).sum() / len(value), (value - found).square().mean()


def save_net(net, head, path):
    """Writes a file of a net, with the checksum of its numbers. Version 1 has none of its header."""
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in net.state_dict().items()}
    tensors = {name: tensor for name, tensor in tensors.items() if not name.endswith("num_batches_tracked")}
    plain = save(tensors)
    numbers = plain[8 + int.from_bytes(plain[:8], "little") :]
    head = {name: value for name, value in head.items() if name != "header_crc32"}
    head |= {"version": 1, "crc32": f"{zlib.crc32(numbers):08x}"}
    with open(path, "wb") as file:
        file.write(save(tensors, {"labrys": json.dumps(head)}))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("net", help="the net to begin with")
    parser.add_argument("--samples", nargs="+", required=True, help="files of samples")
    parser.add_argument("--out", required=True, help="the net to write")
    parser.add_argument("--epochs", type=int, default=1, help="how often each position is learned from")
    parser.add_argument("--batch", type=int, default=256, help="positions of a step")
    parser.add_argument("--optimiser", choices=["adam", "sgd"], default="adam")
    parser.add_argument("--rate", type=float, default=0.001, help="learning rate")
    parser.add_argument("--warmup", type=int, default=200, help="steps until the learning rate is reached")
    parser.add_argument("--momentum", type=float, default=0.9, help="of SGD, and β₁ of Adam")
    parser.add_argument("--decay", type=float, default=1e-4, help="the c of c‖θ‖²")
    parser.add_argument("--dropout", type=float, default=0.0, help="of the dense layers")
    parser.add_argument("--value-weight", type=float, default=1.0, help="weight of the value's loss")
    parser.add_argument("--in-order", action="store_true", help="do not shuffle the positions")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()

    torch.manual_seed(arguments.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    head = metadata(arguments.net, "labrys")
    samples = Samples(arguments.samples, head, device)
    net = Net(head["net"]).to(device)
    # The files have no count of batches, which nothing depends on.
    missing, unknown = net.load_state_dict(load_file(arguments.net), strict=False)
    if unknown or any(not name.endswith("num_batches_tracked") for name in missing):
        exit(f"{arguments.net}: missing {missing}, unknown {unknown}")
    # The gradient of c‖θ‖² is 2cθ.
    settings = {"lr": arguments.rate, "weight_decay": 2 * arguments.decay}
    if arguments.optimiser == "sgd":
        optimiser = torch.optim.SGD(net.parameters(), momentum=arguments.momentum, **settings)
    else:
        optimiser = torch.optim.Adam(net.parameters(), betas=(arguments.momentum, 0.999), **settings)

    # Small steps at first: large ones make a value of ±1 of every position, where tanh has no slope.
    warmup = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1, (step + 1) / max(1, arguments.warmup))
    )
    for epoch in range(arguments.epochs):
        order = torch.arange(len(samples)) if arguments.in_order else torch.randperm(len(samples))
        sums, steps = torch.zeros(2), 0
        for positions in order.split(arguments.batch):
            policy, value = losses(net, samples.batch(positions), arguments.dropout)
            loss = policy + arguments.value_weight * value
            if not loss.isfinite():
                exit(f"the loss is {loss.item()}: the learning rate may be too high")
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            warmup.step()
            sums += torch.stack([policy, value]).detach().cpu()
            steps += 1
        policy, value = (sums / steps).tolist()
        print(
            f"epoch {epoch + 1}: {steps} steps, policy loss {policy:.4f}, value loss {value:.4f}", flush=True
        )
    head["provenance"] = (
        f"{head['provenance']}; then {len(samples)} positions by PyTorch, seed {arguments.seed}"
    )
    save_net(net.eval(), head, arguments.out)


if __name__ == "__main__":
    main()
