import { words } from '../words';

export default function Files() {
  return <h1>{words.pages.files}</h1>;
}
