// Prism would look for code in the page as soon as it is loaded, and make HTML of it. It must not.
Object.assign(globalThis, { Prism: { manual: true, disableWorkerMessageHandler: true } });
