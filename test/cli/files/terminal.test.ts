import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { atTerminal } from '../../support/steps.ts';
import { transferProgressText } from '../../../src/cli/output/files.ts';
import { terminal } from '../../support/terminal.ts';
import { emulatedFiles } from './emulated.ts';
import { scriptedFiles } from './scripted.ts';

describe('files commands on a terminal', () => {
  test('show the bar of a download, then its table', async () => {
    const { options, faults } = await scriptedFiles({ 'a.txt': 'x'.repeat(1000), 'b.txt': 'b' });
    const ends: (() => void)[] = [];
    faults.storage = (request, response) => {
      if (!request.target.includes('a.txt')) return false;
      response.writeHead(200, { 'content-length': '1000' }).write('x'.repeat(500));
      ends.push(() => void response.end('x'.repeat(500)));
      return true;
    };
    const view = terminal(['files', 'download', 'member', '--all'], options);
    await view.shows('a.txt');
    await view.shows('[##########----------]');
    expect(view.screen()).toMatch(
      /a\.txt\s+50 %\s+\[#{10}-{10}\]\s+500 B of 1000 B\s+.*\/s\s+.* left/,
    );
    expect(view.screen()).toMatch(/[01] of 2 files\s+\d+ %/);
    ends.forEach((end) => end());
    expect(await view.exit).toBe(0);
    expect(view.screen()).toMatch(/key\s+size\s+outcome\s+/);
    expect(view.screen()).toMatch(/a\.txt\s+1000 B\s+downloaded/);
    expect(view.screen()).toContain('2 files: 2 downloaded');
    expect(view.screen()).not.toContain('[###');
  });

  test('download a file into the current folder, and not to the screen', async () => {
    const { options, folder } = await scriptedFiles({ 'a.txt': 'do not show me' });
    await atTerminal('files download member a.txt', { ...options, lacks: 'do not show me' });
    expect(readdirSync(folder)).toEqual(['a.txt']);
  });

  test('show only the result with --quiet', async () => {
    const { options } = await emulatedFiles();
    const files = { 'a.txt': 'hello' };
    const shows = /^key\s+size\s+outcome *\na\.txt\s+5 B\s+uploaded$/;
    await atTerminal('files upload member a.txt --quiet', { ...options, files, shows });
  });
});

describe('the progress line of a transfer', () => {
  const whole = { name: '1 of 3 files', moved: 50_000_000, size: 100_000_000, elapsedMs: 5000 };
  const file = {
    name: 'a-file-with-a-long-name.bin',
    moved: 1_048_576,
    size: 4_194_304,
    elapsedMs: 1000,
  };

  test('shows name, share, bar, bytes, rate and remaining time', () => {
    expect(transferProgressText(whole, [file], 100).split('\n')).toEqual([
      '1 of 3 files           50 %  [##########----------]  47.7 MB of 95.4 MB  9.5 MB/s  5 s left',
      '  a-file-with-a-long-…   25 %  [#####---------------]  1.0 MB of 4.0 MB  1.0 MB/s  3 s left',
    ]);
  });

  test.each([100, 80, 60, 40, 30, 20, 10, 4])('fits into %i columns', (columns) => {
    for (const line of transferProgressText(whole, [file], columns).split('\n')) {
      expect(line.length).toBeLessThan(columns);
    }
  });

  test.each([
    ['no bytes have been transferred', { ...file, moved: 0 }, /0 %/],
    ['no time has passed', { ...file, elapsedMs: 0 }, /25 %.*1\.0 MB of 4\.0 MB$/],
    ['the size is unknown', { ...file, size: 0 }, /^ {2}a-file-with-a-long-…$/],
    ['more bytes came than expected', { ...file, moved: 9_999_999 }, /100 %/],
    ['the name contains control characters', { ...file, name: '\u001b[2J' }, /^ {2}\\u\{1b\}\[2J/],
  ])('is correct if %s', (_, moving, expected) => {
    expect(transferProgressText(whole, [moving], 100).split('\n')[1]).toMatch(expected);
  });
});
