@echo off
rem Shows the map of this stick in the browser, and writes nothing to the stick.
rem Montre la carte de cette cle dans le navigateur, et n'ecrit rien sur la cle.
setlocal DisableDelayedExpansion
set "program=%~dp0programs\relais-windows-amd64.exe"
if not exist "%program%" goto missing
rem A window of its own: Ctrl-C ends the program, and asks nothing about a batch job.
start "relais" "%program%"
if errorlevel 1 goto refused
exit /b 0

:missing
echo This stick has no program for Windows.
echo Cette cle n'a pas de programme pour Windows.
pause
exit /b 1

:refused
echo Windows refuses to run the program: see READ ME.txt.
echo Windows refuse de lancer le programme : voir LISEZ-MOI.txt.
pause
exit /b 1
