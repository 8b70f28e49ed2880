// Text for a terminal or a file, with a button that copies it.
import { Copy } from './copy';

export function Program({ title, text }: { title: string; text: string }) {
  return (
    <div class="stack tight">
      <div class="row between fine">
        {title}
        <Copy bare text={text} label={title} />
      </div>
      <pre class="snippet" tabIndex={0} role="group" aria-label={title}>
        {text}
      </pre>
    </div>
  );
}
