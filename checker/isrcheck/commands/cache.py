"""isrcheck cache."""

import click

from isrcheck.user_cache import MOST_BYTES, user_cache


@click.command()
@click.option("--clear", is_flag=True, help="Remove what isrcheck keeps; the next runs lower and compile again.")
def cache(clear: bool) -> None:
    """Show what is kept between runs, and clear it.

    Compiled models and earlier answers are in the folder that is shown (docs/limits.md).
    """
    folder = user_cache()
    if clear:
        folder.clear()
    files, size = folder.size()
    click.echo(f"{folder.path}: {files:,} files, {size / 1e6:,.1f} MB, of at most {MOST_BYTES / 1e6:,.0f} MB.")
