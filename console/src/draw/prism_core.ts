// The languages of Prism find it as a global.
import './prism_before';
import Prism from 'prismjs/components/prism-core';
Object.assign(globalThis, { Prism });
export default Prism;
