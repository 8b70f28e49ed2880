import { words } from '../words';

export default function Start() {
  return <h1>{words.pages.start}</h1>;
}
