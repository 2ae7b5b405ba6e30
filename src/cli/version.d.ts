/** The version of lectern, put in by the build (build.config.js). */
declare const __VERSION__: string;
