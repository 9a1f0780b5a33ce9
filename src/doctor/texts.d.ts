// Text files are included in the bundle.
declare module '*.txt' {
  const text: string
  export default text
}
