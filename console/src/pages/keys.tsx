import { words } from '../words';

export default function Keys() {
  return <h1>{words.pages.keys}</h1>;
}
