"""The value of each sample by a net in play, and the sum of the logits of its moves.

The arguments are the net and the samples.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python"))
import torch  # noqa: E402
import train_net  # noqa: E402
from safetensors.torch import load_file  # noqa: E402

head = train_net.metadata(sys.argv[1], "labrys")
samples = train_net.Samples(sys.argv[2:], head, "cpu")
net = train_net.Net(head["net"])
net.load_state_dict(load_file(sys.argv[1]), strict=False)
with torch.no_grad():
    planes, owner, indices, _, _ = samples.batch(torch.arange(len(samples)))
    logits, values = net.eval()(planes)
    sums = torch.zeros(len(samples)).index_add(0, owner, logits[owner[:, None], indices].sum(1))
for value, logit in zip(values.tolist(), sums.tolist()):
    print(value, logit)
