// The Web Worker.

import init from "./labrys.js";
import { serve } from "./serve.js";

const load = () => init({ module_or_path: new URL("./labrys_bg.wasm", import.meta.url) });
const onMessage = serve(message => self.postMessage(message), load);
self.onmessage = ({ data }) => onMessage(data);
