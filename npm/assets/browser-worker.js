// The worker of a page.

import init from "./labrys.js";
import { serve } from "./serve.js";

const hear = serve(message => self.postMessage(message), init);
self.onmessage = ({ data }) => hear(data);
