/** A file of a page, as text: bundled by build.config.js, read by vite in tests. */
declare module '*?raw' {
  const text: string;
  export default text;
}
