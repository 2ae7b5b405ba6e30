/**
 * The control side: what stands behind the service (the LMS, the clock, the dashboard), by HTTP on
 * the API origin, with a bearer token of its own. Every body and every answer is a JSON object.
 *
 * | Method and path             | Body                                              | Answer |
 * |-----------------------------|---------------------------------------------------|--------|
 * | POST …/launch               | `role` \| `member`, `course`, `location`, `tool`, `account`, `third_party`, `sign` | `claims`, `tool`, `hosted`, `passed_over`, `course_page` |
 * | POST …/provision-request    | `course`, `from`, `location`, `tool`              | `claims`; `sent`, the requests to tools with a `provision_url`; `not_sent`, why there is none |
 * | POST …/locations-request    | `tool`, `course` | the answer of the tool's `locations_url`, and what was found in it |
 * | POST …/fixture              |                                                   | launches of every kind |
 * | GET  …/state                |                                                   | all that is kept |
 * | POST …/lms                  | `ok: true` \| `refuse: {status, body, members, percent, times}`, `scope`, `slow_ms`, `column`, `points`, `grade_url`; `location` | `lms`, by location |
 * | POST …/key                   | `tool`                                            | `tool`, `api_key`, `origin` |
 * | POST …/token/end            | `token` \| `launch_id`                             | `ended` |
 * | POST …/tool                 | `tool`, `action`: suspend, activate, archive, replace-code, rotate-key; publish (`visibility`; `version`, where it is there already; a hosted tool's `files`, `zip_size`, `manifest`), approve, deprecate, pilot (`version`) | `tool`, `ended` |
 * | POST …/tool/upload         | the zip of a hosted tool's code; in the query `tool`, `visibility`, `version_only` | `tool`, `ended`, `code` |
 * | POST …/adopt                | `course`, `tool`, `code`: current, pilot or a number | `version`, `ended` |
 * | POST …/locations            | `answer`: a tool's locations answer               | what the service takes of it |
 * | POST …/member/groups        | `member`, `groups`                                | `ended` |
 * | POST …/member/remove        | `member`                                          | `ended` |
 * | GET  …/clock                |                                                   | `now`, `iso`, `offset_ms` |
 * | POST …/clock                | `advance_seconds` \| `set` (ISO 8601) \| `machine: true` | the same |
 * | POST …/fault                | `method`, `path`, `times`; `status`, `headers`, `body` \| `close` \| `cut` \| `delay_ms` | `faults` |
 * | GET  …/faults               |                                                   | `faults` |
 * | POST …/fault/remove         | `id`                                              | `faults` |
 * | POST …/fault/clear          |                                                   | `faults` |
 * | GET  …/requests/follow      |                                                   | a line of JSON each, without an end |
 * | GET  …/report               |                                                   | `requests`, `findings`, `coverage` with the command for each |
 * | POST …/requests/replay      | `number`                                          | `number`, `status` |
 * | POST …/file/declare         | `row`, `key`, and a declaration                   | `url`, `fields` |
 * | POST …/file/link            | `row`, `key`                                      | `url`, `expires` |
 * | POST …/file/delete          | `row`, `key`                                      | `{}` |
 * | POST …/console/code         |                                                   | `code`, `url`, `seconds` |
 * | POST …/console/session      | `code`; without a token                           | `session` |
 * | GET  …/export               |                                                   | an export |
 * | POST …/import               | an export                                         | `{}` |
 * | POST …/reset                |                                                   | `{}` |
 *
 * These are asked by a query; a list answers with `items`, `next` and `total`, and takes `search`,
 * `limit` and `after`, the `next` of the page before.
 *
 * | Path                   | Query                          | Answer |
 * |------------------------|--------------------------------|--------|
 * | GET  …/summary         |                                | figures of all that is kept |
 * | GET  …/world           |                                | `courses`, `locations`, `tools` |
 * | GET  …/members         | `course`, `role`               | members |
 * | GET  …/tokens          | `live`                         | tokens by their launch |
 * | GET  …/rows            |                                | rows, with every shared one |
 * | GET  …/file-sets       |                                | rows with files |
 * | GET  …/files           | `row`                          | files of a row, and their quota |
 * | GET  …/attempts        | `location`, `member`, `status` | attempts, the latest first |
 * | GET  …/gradebook       | `location`                     | what the LMS has |
 * | GET  …/row/versions    | `row`                          | the row, and its latest versions |
 * | GET  …/requests        | `limit`, of the latest         | `requests` |
 * | GET  …/request         | `number`                       | a request; `captured` has headers and bodies |
 * | GET  …/clock/ends      | `seconds`, comma-separated     | how many tokens would have ended by then |
 * | GET  …/row             | `row`, `version`               | its bytes |
 * | POST …/row             | `row`, `expected`; the row     | `etag`; 409 where it is another than expected |
 * | GET  …/events          | `after`                        | requests and changes, a line of JSON each, without an end |
 *
 * A page of the console may do all but export, import, fixture, state and making codes.
 *
 * `tool` and `course` are chosen where they are left out. `ended` counts tokens. A body that is not
 * understood is 422, an ID that is not there 404.
 */
export const CONTROL_PREFIX = '/_emulator/';

/** Below this address the console is; every page of it has an address of its own. */
export const CONSOLE_PREFIX = '/_emulator/console/';
