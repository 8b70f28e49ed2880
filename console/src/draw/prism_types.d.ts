// The core of Prism has the types of the whole.
declare module 'prismjs/components/prism-core' {
  import * as Prism from 'prismjs';
  export default Prism;
}
