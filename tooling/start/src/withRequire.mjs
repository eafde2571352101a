/**
 * Returns a file's text with a `require` if it has esbuild's helper, by which CommonJS packages require Node's own modules. Only that file
 * makes one: Node normalizes two more paths for each, and when it has normalized many, V8 loads its optimizing compiler for that, 5 MiB.
 */
export const withRequire = (/** @type {string} */ text) =>
  text.includes("typeof require")
    ? text.replace(
        /^(#!.*\n)?/,
        '$1import{createRequire}from"node:module";const require=createRequire(import.meta.url);'
      )
    : text
