import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError, enterWithToken, messageOf } from './api.ts';
import { Alert, Button } from './components.tsx';

/** A form for users who have the token of the emulator, but no terminal where it runs. */
export function TokenForm(): JSX.Element {
  const [token, setToken] = useState('');
  const [why, setWhy] = useState('');
  const enter = async (): Promise<void> => {
    setToken('');
    setWhy('');
    try {
      await enterWithToken(token.trim());
    } catch (error) {
      const isOther = error instanceof ApiError && error.status === 401;
      setWhy(isOther ? 'This is not the token of this emulator.' : messageOf(error));
    }
  };
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault();
        void enter();
      }}
    >
      <label class="field">
        <span>Token of the emulator</span>
        <input
          type="password"
          autocomplete="off"
          // Other characters are invalid in a header.
          pattern="[!-~]+"
          required
          value={token}
          onInput={({ currentTarget }) => setToken(currentTarget.value)}
        />
      </label>
      <Button type="submit">Enter</Button>
      <Alert>{why}</Alert>
    </form>
  );
}
