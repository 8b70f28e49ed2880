// When to draw: once a frame at most, 8 ms of work a frame, and at most a quarter of the time overall.
const WORK = 8; // ms a frame
const SHARE = 3; // ms of rest for each ms of work

// A drawer works until the time is over, and says whether it is done.
export type Drawer = (until: number) => boolean;

const drawers = new Set<Drawer>();
let planned = false;
let restUntil = 0;

export function drawSoon(drawer: Drawer): void {
  drawers.add(drawer);
  plan();
}

export function drawNever(drawer: Drawer): void {
  drawers.delete(drawer);
}

function plan(): void {
  if (planned || drawers.size === 0) return;
  planned = true;
  if (document.visibilityState === 'hidden') setTimeout(frame, 500); // a hidden page has no frames
  else requestAnimationFrame(frame);
}

function frame(): void {
  planned = false;
  const start = performance.now();
  if (start >= restUntil) {
    for (const drawer of [...drawers]) {
      if (performance.now() >= start + WORK) break;
      drawers.delete(drawer); // whoever is not done stands behind the others
      if (!drawer(start + WORK)) drawers.add(drawer);
    }
    restUntil = performance.now() + SHARE * (performance.now() - start);
  }
  plan();
}
