package org.polygraph.jobs.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.polygraph.jobs.application.InstalledEngines;
import org.polygraph.jobs.report.Version;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/**
 * Writes a man page for each command ({@code man1/polygraph-check.1}) and one script ({@code completion}) that
 * completes command lines in bash and zsh. The build of the archive calls it.
 */
public final class Manuals {
    private Manuals() {}

    /** @param args the folder to write to */
    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[0]);
        Path pages = Files.createDirectories(folder.resolve("man1"));
        PrintStream nowhere = new PrintStream(new ByteArrayOutputStream(), false, StandardCharsets.UTF_8);
        CommandLine root = PolygraphCommand.commandLine(
                List.of(), new Environment(nowhere, nowhere, false, new InstalledEngines()));
        // The constants of enums are completed in lower case, as in the help.
        String completion = Pattern.compile("(?<=_option_args=\\()[^)]*")
                .matcher(AutoComplete.bash(root.getCommandName(), root))
                .replaceAll(words -> words.group().toLowerCase(Locale.ROOT).replace('_', '-'))
                // A PATH is completed as a file name, which bash does by default where nothing else fits.
                .replaceAll(".*compopt \\+o default\\R", "");
        Files.writeString(folder.resolve("completion"), completion);
        page(root, pages);
        for (CommandLine command : root.getSubcommands().values()) {
            page(command, pages);
        }
    }

    /** The sections are the texts of {@code --help}, whose lines stay as they are. */
    private static void page(CommandLine command, Path pages) throws IOException {
        CommandLine.Help help = command.getHelp();
        String name = command.getCommandSpec().qualifiedName("-");
        StringBuilder page = new StringBuilder()
                .append(".TH ")
                .append(name.toUpperCase(Locale.ROOT))
                .append(" 1 \"\" \"polygraph ")
                .append(Version.current())
                .append("\"\n.SH NAME\n")
                .append(roff(name))
                .append(" \\- ")
                .append(roff(help.description().strip()))
                .append('\n');
        section(page, "SYNOPSIS", help.synopsis(0));
        section(page, "ARGUMENTS", help.parameterList());
        section(page, "OPTIONS", help.optionList());
        section(page, "COMMANDS", help.commandList());
        section(page, "EXIT STATUS", help.footer());
        Files.writeString(pages.resolve(name + ".1"), page);
    }

    private static void section(StringBuilder page, String title, String text) {
        if (!text.isBlank()) {
            page.append(".SH ")
                    .append(title)
                    .append("\n.nf\n")
                    .append(roff(text.replaceAll("^\\R+", "")))
                    .append("\n.fi\n");
        }
    }

    /** Escapes what roff would read as a request. */
    private static String roff(String text) {
        return Ansi.OFF
                .string(text.stripTrailing())
                .replace("\\", "\\e")
                .replace("-", "\\-")
                .replaceAll("(?m)^([.'])", "\\\\&$1");
    }
}
