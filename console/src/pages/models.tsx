import { words } from '../words';

export default function Models() {
  return <h1>{words.pages.models}</h1>;
}
